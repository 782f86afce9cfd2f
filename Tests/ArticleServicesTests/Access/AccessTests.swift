import ArticleAPI
import ArticleAccounts
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetPlatform
import Testing

@testable import ArticleServiceCore

/// Permissions, and the errors for clients without them.
@Suite struct AccessTests {
    /// Requests restricted to editors, for an existing and a missing article.
    private static let editorsOnly: [(line: String, json: String?)] = {
        var lines: [(String, String?)] = [
            ("POST /v1/articles", #"{"title":"New"}"#), ("POST /v1/articles", "no JSON"),
            ("PUT /v1/authors/\(Samples.mina)", #"{"name":"Other"}"#),
            ("PUT /v1/authors/\(Samples.nobody)", #"{"name":"Other"}"#),
            ("GET /v1/deleted-articles", nil), ("HEAD /v1/deleted-articles?limit=1", nil),
        ]
        for id in [Samples.bread, Samples.secret, Samples.gone, Samples.nobody] {
            let path = "/v1/articles/\(id)"
            lines += [
                ("PUT \(path)", #"{"title":"New"}"#), ("PATCH \(path)", #"{"title":"New"}"#),
                ("DELETE \(path)", nil), ("GET \(path)/revisions", nil),
                ("HEAD \(path)/revisions", nil), ("GET \(path)/revisions/1", nil),
                ("POST \(path)/revisions/1/restore", nil),
            ]
        }
        return lines
    }()

    private func rows(
        _ sender: Sender, _ summary: String, _ challenge: String
    ) -> ScenarioTable {
        ScenarioTable(
            "\(sender)",
            Self.editorsOnly.map { line, json in
                Scenario(
                    "editors only", sender, line, json,
                    gives: line.hasPrefix("HEAD") ? String(summary.prefix(3)) : summary,
                    fields: [(.wwwAuthenticate, challenge)])
            })
    }

    @Test func `an anonymous client that edits is asked for a key, whatever exists`() async throws {
        try await rows(.anonymous, "401 unauthenticated", #"Bearer realm="broadsheet""#)
            .playWithoutChange()
    }

    @Test func `a reader's key is not sufficient for edits and histories`() async throws {
        let challenge = #"Bearer realm="broadsheet", error="insufficient_scope""#
        try await rows(.reader, "403 forbidden", challenge).playWithoutChange()
    }

    @Test(arguments: Sender.rejected)
    func `an invalid key is rejected, even where none is required`(
        sender: Sender
    ) async throws {
        let lines =
            Self.editorsOnly + [
                ("GET /v1/articles", nil), ("GET /v1/articles/\(Samples.bread)", nil),
                ("GET /v1/tags", nil), ("GET /v1/authors", nil), ("GET /v1/articles?limit=x", nil),
            ]
        let scenarios = lines.map { line, json in
            Scenario(
                "not good", sender, line, json,
                gives: line.hasPrefix("HEAD") ? "401" : "401 unauthenticated",
                fields: [
                    (.wwwAuthenticate, #"Bearer realm="broadsheet", error="invalid_token""#)
                ])
        }
        try await ScenarioTable("\(sender)", scenarios).playWithoutChange()
    }

    @Test(arguments: Sender.editors)
    func `editors, admins and the operator see and write everything`(
        sender: Sender
    ) async throws {
        try await TestBackend.run { server in
            for id in [Samples.secret, Samples.tomorrow, Samples.archived] {
                let seen = try server.send("GET /v1/articles/\(id)", as: sender)
                #expect(seen.summary == "200")
                #expect(seen.fields[.cacheControl] == "private, no-cache")
            }
            let path = "/v1/articles/\(Samples.secret)"
            let patched = try server.send("PATCH \(path)", as: sender, #"{"title":"New"}"#)
            #expect(patched.summary == "200")
            let history = try server.send("GET \(path)/revisions", as: sender)
            let actor = String(decoding: try server.keys.actor(sender).json(), as: UTF8.self)
            #expect(history.text.contains(#""actor":\#(actor)"#))
            #expect(try server.send("DELETE \(path)", as: sender).summary == "204")
        }
    }

    @Test func `a reader's key sees what is public, and shared caches must not store it`()
        async throws
    {
        try await TestBackend.run { server in
            for target in ["/v1/articles", "/v1/articles/fresh-bread", "/v1/tags", "/v1/authors"] {
                let mine = try server.send("GET \(target)", as: .reader)
                let everyones = try server.send("GET \(target)")
                #expect(mine.body == everyones.body)
                #expect(mine.fields[.etag] == everyones.fields[.etag])
                #expect(mine.fields[.cacheControl] == "private, no-cache")
                #expect(everyones.fields[.cacheControl] == "public, no-cache")
            }
        }
    }

    @Test func `a wrong secret and an unknown key get the same response`() async throws {
        try await TestBackend.run(samples: false) { server in
            let details = try [Sender.garbage, .forger].map { sender in
                try Problem(mapping: server.send("GET /v1/articles", as: sender).body).detail
            }
            let unknown = "The API key or access token is unknown."
            #expect(details == [unknown, unknown])
        }
    }

    @Test func `a key expires at its time`() async throws {
        try await TestBackend.run(samples: false) { (server) throws in
            let end = TestBackend.opening.advanced(byMilliseconds: 1_000)
            let key = APIKey(
                name: "short", role: .editor, at: TestBackend.opening, expiresAt: end, system: .real
            )
            server.backend.admit(key.record)
            func status() throws -> String {
                try server.send(
                    "GET /v1/articles", with: [.authorization: "Bearer \(key.text)"]
                ).summary
            }
            server.pass(milliseconds: 999)
            #expect(try status() == "200")
            server.pass(milliseconds: 1)
            #expect(try status() == "401 unauthenticated")
        }
    }

    @Test func `a key is valid from its admission to its revocation`() async throws {
        try await TestBackend.run(samples: false) { (server) throws in
            let key = APIKey(name: "new", role: .editor, at: TestBackend.opening, system: .real)
            let fields: HTTPFields = [.authorization: "Bearer \(key.text)"]
            func status() throws -> String {
                try server.send("GET /v1/articles", with: fields).summary
            }
            #expect(try status() == "401 unauthenticated")
            server.backend.admit(key.record)
            #expect(try status() == "200")
            var revoked = key.record
            revoked.revokedAt = TestBackend.opening
            server.backend.admit(revoked)
            #expect(try status() == "401 unauthenticated")
        }
    }

    @Test func `two keys at once and other schemes are rejected`() async throws {
        try await TestBackend.run(samples: false) { server in
            let key = try #require(server.keys.texts[.editor])
            for value in ["Basic dXNlcjpwYXNz", "Bearer", "Bearer \(key) \(key)", key] {
                let response = try server.send(
                    "GET /v1/articles", with: [.authorization: value])
                #expect(response.summary == "401 unauthenticated")
            }
            let twice = try server.send(
                "GET /v1/articles", as: .editor, with: [.authorization: "Bearer \(key)"])
            #expect(twice.summary == "401 unauthenticated")
        }
    }
}
