import ArticleAPI
import ArticleAccounts
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetPlatform
import Testing

@testable import ArticleServiceCore

/// Requests of admins on the listeners that everybody can reach.
@Suite struct AdminAccessTests {
    private static let json = "application/json"
    private static let lines = "application/x-ndjson"
    private static let newKey =
        #"{"id":"00112233445566aa","digest":"\#(String(repeating: "ab", count: 32))","#
        + #""name":"new","role":"reader"}"#

    private static let purge =
        #"{"articleID":"01890a5d-ac96-774b-bcce-b302099a8057","reason":"a court order"}"#

    /// A valid request of each kind, and the status for an admin.
    private static let requests: [(line: String, type: String?, body: String?, summary: String)] = [
        ("GET /v1/admin/state", nil, nil, "200"), ("HEAD /v1/admin/state", nil, nil, "200"),
        ("GET /v1/admin/check", nil, nil, "200"), ("GET /v1/admin/keys", nil, nil, "200"),
        ("POST /v1/admin/history", nil, nil, "200"),
        ("POST /v1/admin/keys", json, newKey, "204"),
        ("POST /v1/admin/keys/00112233445566aa/revocation", nil, nil, "200"),
        ("POST /v1/admin/imports", json, #"{"items":[],"dryRun":true}"#, "200"),
        ("GET /v1/admin/export", nil, nil, "200"),
        ("POST /v1/admin/restorations?mode=dryRun", lines, "\n", "200"),
        ("POST /v1/admin/backups", nil, nil, "200"),
        ("GET /v1/admin/backups/current", nil, nil, "404 not-found"),
        ("POST /v1/admin/vacuum", nil, nil, "200"),
        ("POST /v1/admin/vacuum?done=2", nil, nil, "200"),
        ("POST /v1/admin/purge", json, purge, "404 not-found"),
    ]

    private func scenarios(_ sender: Sender, _ summary: String? = nil) -> [Scenario] {
        Self.requests.map { line, type, body, outcome in
            let expected = summary ?? outcome
            return Scenario(
                "administers", sender, line, body,
                with: type.map { [.contentType: $0] } ?? HTTPFields(),
                gives: line.hasPrefix("HEAD") ? String(expected.prefix(3)) : expected,
                fields: [(.cacheControl, "no-store")])
        }
    }

    @Test func `everybody else is rejected, whatever exists`() async throws {
        var rows = scenarios(.anonymous, "401 unauthenticated")
        for sender in [Sender.reader, .editor] { rows += scenarios(sender, "403 forbidden") }
        for sender in Sender.rejected { rows += scenarios(sender, "401 unauthenticated") }
        let scenarios = rows
        try await TestBackend.run { server in
            let before = try await server.backend.store.keys()
            for scenario in scenarios { try scenario.play(in: server) }
            #expect(try await server.backend.store.keys() == before)
        }
    }

    @Test(arguments: [Sender.admin, .operator])
    func `an admin's key is sufficient, and nobody may store the responses`(
        sender: Sender
    ) async throws {
        try await TestBackend.run { server in
            for scenario in scenarios(sender) { try scenario.play(in: server) }
        }
    }

    @Test func `what an older command restores as published in the future is scheduled`()
        async throws
    {
        try await TestBackend.run { server in
            let exported = try server.send("GET /v1/admin/export", as: .admin).text
            let lines = exported.split(separator: "\n").dropFirst().dropLast()
                .map { $0.replacing(#""status":"scheduled""#, with: #""status":"published""#) }
            try await TestBackend.run(samples: false) { other in
                try other.send(
                    "POST /v1/admin/restorations", as: .admin, lines.joined(separator: "\n"),
                    with: [.contentType: Self.lines])
                let article = try other.article(Samples.tomorrow)
                #expect(article.status == .scheduled && article.revision == 1)
                #expect(try other.article(Samples.bread).status == .published)
                let line = "GET /v1/articles/\(Samples.tomorrow)"
                #expect(try other.send(line).summary == "404 not-found")
            }
        }
    }

    @Test func `what a server whose clock is ahead has published stays published`() async throws {
        try await TestBackend.run { server in
            server.pass(milliseconds: 60_000)
            let article = try server.send(
                "POST /v1/articles", as: .admin,
                #"{"title": "Now", "body": "x", "status": "published"}"#)
            #expect(article.summary == "201")
            let exported = try server.send("GET /v1/admin/export", as: .admin).text
            let lines = exported.split(separator: "\n").dropFirst().dropLast()
            try await TestBackend.run(samples: false) { other in
                try other.send(
                    "POST /v1/admin/restorations", as: .admin, lines.joined(separator: "\n"),
                    with: [.contentType: Self.lines])
                #expect(try other.send("GET /v1/articles/now").summary == "200")
            }
        }
    }

    @Test func `a key that an admin creates works until an admin revokes it`() async throws {
        try await TestBackend.run { server in
            let key = APIKey(
                name: "far", role: .editor, at: Timestamp(milliseconds: 0), system: .real)
            func status() throws -> String {
                try server.send(
                    "GET /v1/articles?status=draft",
                    with: [.authorization: "Bearer \(key.text)"]
                ).summary
            }
            #expect(try status() == "401 unauthenticated")
            let record = String(decoding: key.record.json(), as: UTF8.self)
            let made = try server.send("POST /v1/admin/keys", as: .admin, record)
            #expect(made.summary == "204")
            #expect(try status() == "200")
            let again = try server.send("POST /v1/admin/keys", as: .admin, record)
            #expect(again.summary == "409 id-taken /id")
            let path = "/v1/admin/keys/\(key.record.id)/revocation"
            #expect(try server.send("POST \(path)", as: .admin).summary == "200")
            #expect(try status() == "401 unauthenticated")
            let stored = try await server.backend.store.keys().first { $0.id == key.record.id }
            #expect(stored?.createdAt == TestBackend.opening, "the server's time")
        }
    }

    @Test func `a key of an unknown role is rejected`() async throws {
        try await TestBackend.run(samples: false) { server in
            let record = Self.newKey.replacing("reader", with: "owner")
            let rejected = try server.send("POST /v1/admin/keys", as: .admin, record)
            #expect(rejected.summary == "422 invalid-values /role")
        }
    }

    @Test func `no response over the network has a digest`() async throws {
        try await TestBackend.run { server in
            let revoked = try server.send(
                "POST /v1/admin/keys/\(server.keys.revokedID)/revocation", as: .admin)
            let listed = try server.send("GET /v1/admin/keys", as: .admin)
            for record in server.keys.records {
                #expect(listed.text.contains(#""id":"\#(record.id)""#))
            }
            for response in [revoked, listed] {
                #expect(response.summary == "200" && !response.text.contains("digest"))
            }
        }
    }

    @Test func `a stream of bytes takes no parameters, no preconditions and no body`() async throws
    {
        let unknown: [Scenario] = [
            Scenario(
                "unknown", .admin, "GET /v1/admin/export?format=xml",
                gives: "400 malformed-request ?format"),
            Scenario(
                "precondition", .admin, "POST /v1/admin/backups", with: [.ifNoneMatch: "*"],
                gives: "400 malformed-request @If-None-Match"),
            Scenario(
                "body", .admin, "POST /v1/admin/backups", "{}", gives: "400 malformed-request #"),
        ]
        try await ScenarioTable("streams", unknown).playWithoutChange()
    }
}
