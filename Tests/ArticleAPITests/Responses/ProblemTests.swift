import ArticleAPI
import BroadsheetHTTP
import Testing

/// The table of problems.
struct ProblemTests {
    @Test func `every kind has its own type, a title and an HTTP status`() {
        let kinds = Problem.Kind.allCases
        #expect(Set(kinds.map(\.type)).count == kinds.count)
        for kind in kinds {
            #expect(kind.type == "/problems/\(kind.rawValue)")
            #expect(!kind.title.isEmpty)
            #expect(HTTPStatus(kind.status).map { $0.reason.isEmpty } == false)
            #expect(Problem(kind).kind == kind)
        }
    }

    @Test func `a problem of another server is read with defaults`() throws {
        let problem = try ResponseMapper<Problem>().map(Array(#"{"status":418}"#.utf8))
        #expect(problem == Problem(type: "about:blank", title: "", status: 418))
        #expect(problem.kind == nil)
    }
}

@Suite struct ProblemFaultTests {
    /// Names of attributes can contain any character, and problems quote them.
    @Test func `a problem that quotes what was sent is one that a backend may send`() throws {
        let body = Array(#"{"title":"Rye","\u0000\n\u2028":1}"#.utf8)
        let target = try #require(RequestTarget(path: "/v1/articles"))
        let sent = HTTPRequest(
            .post, target, fields: [.contentType: "application/json"], body: body)
        let source = try #require(RequestSource(sent, for: CreateArticleRequest.endpoint))
        let error = try #require(throws: RequestValidationError.self) {
            try CreateArticleRequest(parsing: source)
        }
        let problem = error.problem()
        #expect(problem.errors.first?.place == .pointer("/\0\n\u{2028}"))
        #expect(problem.faults == [])
        #expect(try Problem(mapping: problem.json()) == problem)
    }

    @Test func `a form finds the faults of each of its fields`() {
        let problem = Problem(
            .invalidValues,
            errors: [
                .init("is longer than 300 characters", at: .pointer("/title")),
                .init("is not an author", at: .pointer("/authors/1/id")),
                .init("is missing", at: .header("If-Match")),
                .init("is another", at: .pointer("/titles")),
            ])
        #expect(problem.faults(at: "/title") == ["is longer than 300 characters"])
        #expect(problem.faults(at: "/authors") == ["is not an author"])
        #expect(problem.faults(at: "/summary").isEmpty)
    }
}
