import ArticleAPI
import BroadsheetHTTP
import Testing

/// Hidden articles do not leak: not through paths, lists, tags, authors, counts or slugs.
@Suite struct VisibilityTests {
    private static let readers: [Sender] = [.anonymous, .reader]

    @Test(arguments: readers)
    func `hidden articles are indistinguishable from missing ones`(sender: Sender) async throws {
        try await TestBackend.run { server in
            func told(_ line: String, _ fields: HTTPFields = HTTPFields()) throws -> String {
                let response = try server.send(line, as: sender, with: fields)
                let id = response.fields[.xRequestID] ?? ""
                return "\(response.summary) \(response.text.replacing(id, with: "")) "
                    + response.fields.all.map(\.name).joined(separator: " ")
            }
            let targets = Samples.hidden + Samples.hiddenSlugs
            let conditions: [HTTPFields] = [
                [:], [.ifNoneMatch: "*"], [.ifMatch: "*"], [.ifMatch: "\"1-0\""],
                [.ifModifiedSince: "Fri, 15 Jan 2027 08:00:00 GMT"],
            ]
            for fields in conditions {
                for method in ["GET", "HEAD"] {
                    let nothing = try told("\(method) /v1/articles/\(Samples.nobody)", fields)
                    #expect(nothing.hasPrefix("404"))
                    for target in targets {
                        #expect(try told("\(method) /v1/articles/\(target)", fields) == nothing)
                    }
                }
            }
            let noAuthor = try told("GET /v1/authors/\(Samples.nobody)")
            #expect(noAuthor.hasPrefix("404"))
            #expect(try told("GET /v1/authors/\(Samples.ghost)") == noAuthor)
        }
    }

    @Test(arguments: readers)
    func `lists contain public articles and nothing else`(sender: Sender) async throws {
        let one = [
            "", "sort=publishedAt", "sort=createdAt", "sort=-createdAt", "sort=updatedAt",
            "sort=-updatedAt", "tag=bread", "tag=BREAD&tag=home", "author=\(Samples.mina)",
            "language=en", "source=Wire", "status=published",
            "publishedAfter=2027-01-14T07:59:59.999Z", "publishedBefore=2027-01-14T08:00:00.001Z",
        ]
        let none = [
            "status=draft", "status=scheduled", "status=archived", "tag=hidden", "tag=soon",
            "tag=lost", "tag=old", "tag=bread&tag=hidden", "author=\(Samples.ghost)", "language=ko",
            "source=Mole", "publishedAfter=2027-01-14T08:00:00Z",
            "publishedBefore=2027-01-14T08:00:00Z", "author=\(Samples.nobody)", "tag=nothing",
        ]
        let bread = #"{"items":[{"id":"\#(Samples.bread)","slug":"fresh-bread"}]}"#
        let scenarios =
            one.map {
                Scenario(
                    "the public one", sender, "GET /v1/articles?fields=slug&\($0)", gives: "200",
                    has: [bread])
            }
            + none.map {
                Scenario(
                    "none", sender, "GET /v1/articles?\($0)", gives: "200", has: [#"{"items":[]}"#])
            }
        // A query does not end in `&`.
        let table = ScenarioTable("lists", scenarios.filter { !$0.line.hasSuffix("&") })
        try await table.playWithoutChange()
    }

    @Test(arguments: readers)
    func `tags and authors only include those of public articles`(sender: Sender) async throws {
        try await ScenarioTable(
            "names",
            [
                Scenario(
                    "tags", sender, "GET /v1/tags", gives: "200",
                    has: [
                        #"{"items":[{"key":"bread","name":"Bread","articleCount":1},"#
                            + #"{"key":"home","name":"Home","articleCount":1}]}"#
                    ]),
                Scenario(
                    "authors", sender, "GET /v1/authors", gives: "200", has: [Samples.mina],
                    lacks: [Samples.ghost, "Ghost"]),
            ]
        ).playWithoutChange()
    }

    @Test func `editors see everything except deleted articles`() async throws {
        let all = [Samples.tomorrow, Samples.secret, Samples.bread, Samples.archived]
        try await ScenarioTable(
            "editors",
            [
                Scenario(
                    "list", .editor, "GET /v1/articles?fields=id", gives: "200",
                    has: all.map { #"{"id":"\#($0)"}"# }, lacks: [Samples.gone]),
                Scenario(
                    "drafts", .editor, "GET /v1/articles?status=draft", gives: "200",
                    has: [Samples.secret],
                    lacks: [Samples.bread, Samples.tomorrow, Samples.archived]),
                Scenario(
                    "scheduled", .editor, "GET /v1/articles?status=scheduled", gives: "200",
                    has: [Samples.tomorrow, #""status":"scheduled""#], lacks: [Samples.bread]),
                Scenario(
                    "published", .editor, "GET /v1/articles?status=published", gives: "200",
                    has: [Samples.bread], lacks: [Samples.tomorrow]),
                Scenario(
                    "tags", .editor, "GET /v1/tags", gives: "200",
                    has: [
                        #"{"key":"bread","name":"Bread","articleCount":3}"#, #""key":"hidden""#,
                        #""key":"soon""#, #""key":"old""#,
                    ], lacks: ["lost"]),
                Scenario(
                    "authors", .editor, "GET /v1/authors", gives: "200",
                    has: [Samples.mina, Samples.ghost]),
                Scenario(
                    "deleted", .editor, "GET /v1/articles/\(Samples.gone)", gives: "404 not-found"),
                Scenario(
                    "deleted, by its slug", .editor, "GET /v1/articles/gone",
                    gives: "404 not-found"),
            ]
        ).playWithoutChange()
    }
}
