import ArticleAPI
import HTTP
import Testing

/// The table of problems.
struct ProblemTests {
    @Test func `every kind has a type of its own, a title and a status of HTTP`() {
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
