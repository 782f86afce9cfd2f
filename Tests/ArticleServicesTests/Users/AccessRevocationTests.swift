import ArticleAPI
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts
@testable import ArticleResources
@testable import ArticleServiceCore
@testable import ArticleServices

/// The end of access takes effect on cached responses, open streams, and bodies that still arrive;
/// and keys act for a user up to their role.
@Suite struct AccessRevocationTests {
    private static let article = "GET /v1/articles/\(Samples.bread)"

    @Test func `a reader's session gets cached public responses until it ends`() async throws {
        try await TestBackend.run { server in
            try server.addUser("mina")
            let session = try server.signIn("mina")
            let everybodys = try server.send(Self.article)
            _ = try server.send(Self.article, in: session)
            let hits = server.backend.cacheStatistics.hits
            let mine = try server.send(Self.article, in: session)
            #expect(server.backend.cacheStatistics.hits == hits + 1)
            #expect(mine.body == everybodys.body)
            #expect(mine.fields[.cacheControl] == "private, no-cache")
            #expect(try server.send("DELETE /v1/sessions/current", in: session).status == 204)
            #expect(try server.send(Self.article, in: session).status == 401)
        }
    }

    @Test func `a cached response is not served after the access token's time`() async throws {
        try await TestBackend.run { server in
            try server.addUser("mina")
            let session = try server.signIn("mina")
            for _ in 1...2 { #expect(try server.send(Self.article, in: session).status == 200) }
            server.pass(milliseconds: 15 * 60_000)
            #expect(try server.send(Self.article, in: session).status == 401)
        }
    }

    @Test func `an editor's session sees drafts and never meets the cache`() async throws {
        try await TestBackend.run { server in
            try server.addUser("mina", "editor")
            let session = try server.signIn("mina")
            let before = server.backend.cacheStatistics
            let secret = try server.send("GET /v1/articles/\(Samples.secret)", in: session)
            #expect(secret.status == 200)
            #expect(server.backend.cacheStatistics.hits == before.hits)
            #expect(server.backend.cacheStatistics.bytes == before.bytes)
        }
    }

    @Test(arguments: ["sign-out", "role", "password", "deletion", "time"])
    func `a stream ends with its session`(reason: String) async throws {
        try await TestBackend.run { server in
            let user = try server.addUser("mina")
            try server.addUser("bora")
            let (session, other) = (try server.signIn("mina"), try server.signIn("bora"))
            func stream(_ session: UserSession, _ query: String = "") throws -> EventStreamClient {
                try server.stream(
                    query, as: .anonymous, [.authorization: "Bearer \(session.accessToken)"])
            }
            let queries = [
                "", "?types=bookmark", "?types=comment&article=\(Samples.bread)",
                "?types=article,bookmark",
            ]
            let (mine, others) = (try queries.map { try stream(session, $0) }, try stream(other))
            for stream in mine + [others] { _ = try stream.events(upTo: "ready") }
            switch reason {
            case "sign-out": try server.send("DELETE /v1/sessions/current", in: session)
            case "role":
                try server.send("PATCH /v1/users/\(user.id)", as: .admin, #"{"role":"author"}"#)
            case "password":
                try server.send(
                    "PATCH /v1/users/\(user.id)", as: .admin, #"{"password":"battery staple"}"#)
            case "deletion": try server.send("DELETE /v1/users/\(user.id)", as: .admin)
            default:
                server.pass(milliseconds: 15 * 60_000)
                server.backend.streams.tick()
                #expect(try others.events() == [])
            }
            for stream in mine { #expect(try stream.events() == [] && stream.isComplete) }
            if reason != "time" {
                try server.send(
                    "PATCH /v1/articles/\(Samples.bread)", as: .editor, #"{"title":"L"}"#)
                #expect(try others.next()?.type == "change")
            }
        }
    }

    @Test func `a stream outlives the renewal of its session's tokens`() async throws {
        try await TestBackend.run { server in
            try server.addUser("mina")
            let session = try server.signIn("mina")
            let stream = try server.stream(
                "", as: .anonymous, [.authorization: "Bearer \(session.accessToken)"])
            _ = try stream.events(upTo: "ready")
            #expect(try server.refresh(session).status == 200)
            try server.send("PATCH /v1/articles/\(Samples.bread)", as: .editor, #"{"title":"L"}"#)
            #expect(try stream.next()?.type == "change")
        }
    }

    @Test func `a body that arrives after the session has ended changes nothing`() async throws {
        try await TestBackend.run { server in
            try server.addUser("mina", "editor")
            let session = try server.signIn("mina")
            let json = #"{"title":"Too late"}"#
            let connection = try RawConnection(server.address)
            try connection.send(
                """
                PATCH /v1/articles/\(Samples.bread) HTTP/1.1\r\nHost: t\r\n\
                Authorization: Bearer \(session.accessToken)\r\n\
                Content-Type: application/merge-patch+json\r\n\
                Content-Length: \(json.utf8.count)\r\nExpect: 100-continue\r\n\r\n
                """)
            // The head has been admitted.
            let interim = try connection.response(to: .patch)
            #expect(interim.status == 100)
            #expect(try server.send("DELETE /v1/sessions/current", in: session).status == 204)
            try connection.send(json)
            #expect(try connection.response(to: .patch).status == 401)
            #expect(try server.article(Samples.bread).title == "Fresh bread")
        }
    }

    @Test func `a key with an owner acts for the user, up to its role`() async throws {
        try await TestBackend.run { server in
            let user = try server.addUser("mina", "reader")
            let key = APIKey(
                name: "Mina's", role: .editor, owner: user.id, at: TestBackend.opening,
                system: .real)
            let bearer: HTTPFields = [.authorization: "Bearer \(key.text)"]
            func status(_ line: String) throws -> Int {
                try server.send(line, as: .anonymous, with: bearer).status
            }
            let record = String(decoding: key.record.json(), as: UTF8.self)
            #expect(try server.send("POST /v1/admin/keys", as: .admin, record).status == 204)
            #expect(try status("GET /v1/me") == 200)
            #expect(try status("GET /v1/articles/\(Samples.secret)") == 404)
            let line = "PATCH /v1/users/\(user.id)"
            try server.send(line, as: .admin, #"{"role":"admin"}"#)
            #expect(try status("GET /v1/articles/\(Samples.secret)") == 200)
            #expect(try status("GET /v1/users") == 403)
            try server.send(line, as: .admin, #"{"disabled":true}"#)
            #expect(try status("GET /v1/me") == 401)
            try server.send(line, as: .admin, #"{"disabled":false}"#)
            #expect(try status("GET /v1/me") == 200)
            try server.send("DELETE /v1/users/\(user.id)", as: .admin)
            #expect(try status("GET /v1/articles/\(Samples.bread)") == 401)
        }
    }

    @Test func `a key cannot act for an unknown user`() async throws {
        try await TestBackend.run(samples: false) { server in
            let key = APIKey(
                name: "x", role: .reader, owner: User.ID(at: TestBackend.opening),
                at: TestBackend.opening, system: .real)
            let record = String(decoding: key.record.json(), as: UTF8.self)
            let rejected = try server.send("POST /v1/admin/keys", as: .admin, record)
            #expect(rejected.summary == "422 invalid-values /owner")
        }
    }

    /// Another process tells that any key may have changed, while this one creates a key.
    @Test func `keys that were read before a key was created do not replace it`() throws {
        func key(_ name: String) -> APIKey {
            APIKey(name: name, role: .editor, at: Timestamp(milliseconds: 0), system: .real)
        }
        let (old, new) = (key("old"), key("new"))
        let ring = KeyRing([old.record], operatorKey: nil, system: .real)
        let count = ring.changeCount
        ring.admit(new.record)
        for ids in [nil, [old.record.id]] as [Set<String>?] {
            #expect(!ring.takeOver(ids, of: [old.record], owners: [], readAt: count))
        }
        #expect(try ring.principal(of: new.text).role == .editor)
        #expect(ring.takeOver(nil, of: [old.record], owners: [], readAt: ring.changeCount))
        #expect(try ring.principal(of: old.text).role == .editor)
        #expect(throws: ServiceError.self) { try ring.principal(of: new.text) }
    }
}
