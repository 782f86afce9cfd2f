import ArticleAPI
import ArticleStore
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts
@testable import ArticleServiceCore
@testable import ArticleServices

/// Accounts: who sees and changes what, and what ends sessions.
@Suite struct UserTests {
    @Test func `others see the display name, admins and the user see all`() async throws {
        try await TestBackend.run(samples: false) { server in
            let mina = try server.addUser("mina")
            try server.addUser("bora")
            let line = "GET /v1/users/\(mina.id)"
            let shown = try server.send(line, in: server.signIn("bora"))
            #expect(shown.text == #"{"id":"\#(mina.id)","displayName":"mina"}"#)
            #expect(shown.fields[.cacheControl] == "no-store")
            #expect(try server.send(line, as: .editor).text == shown.text)
            #expect(try server.send(line).summary == "401 unauthenticated")
            let own = try server.send(line, in: server.signIn("mina"))
            #expect(try User(mapping: own.body) == mina)
            #expect(try User(mapping: server.send(line, as: .admin).body) == mina)
        }
    }

    @Test func `admins list users in pages, and find them by name`() async throws {
        try await TestBackend.run(samples: false) { server in
            let users = try ["mina", "bora", "cho"].map { name in
                // The order of ids that are made at the same time is random.
                server.pass(milliseconds: 1)
                return try server.addUser(name)
            }
            let first = try server.send("GET /v1/users?limit=2", as: .admin)
            #expect(try Page<User>(mapping: first.body).items == Array(users.prefix(2)))
            let next = try #require(first.nextTarget)
            let rest = try server.send("GET \(next)", as: .admin)
            #expect(try Page<User>(mapping: rest.body).items == [users[2]])
            let found = try server.send("GET /v1/users?name=BORA", as: .admin)
            #expect(try Page<User>(mapping: found.body).items == [users[1]])
            let none = try server.send("GET /v1/users?name=dora", as: .admin)
            #expect(none.text == #"{"items":[]}"#)
            #expect(try server.send("GET /v1/users", as: .editor).summary == "403 forbidden")
        }
    }

    @Test(arguments: [
        #"{"role":"editor"}"#, #"{"disabled":true}"#, #"{"password":"battery staple"}"#,
    ])
    func `a changed role or password and a disabled account end all sessions`(json: String)
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            let user = try server.addUser("mina")
            let session = try server.signIn("mina")
            #expect(try server.send("GET /v1/me", in: session).summary == "200")
            let changed = try server.send("PATCH /v1/users/\(user.id)", as: .admin, json)
            #expect(changed.summary == "200")
            #expect(try User(mapping: changed.body).revision == 2)
            #expect(try server.send("GET /v1/me", in: session).summary == "401 unauthenticated")
            #expect(try server.refresh(session).summary == "401 unauthenticated")
        }
    }

    @Test func `a disabled account cannot sign in, which only the right password tells`()
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            let user = try server.addUser("mina")
            try server.send("PATCH /v1/users/\(user.id)", as: .admin, #"{"disabled":true}"#)
            let wrong = try server.sendSignIn("mina", "incorrect").text
            #expect(wrong.contains("wrong"))
            let unknown = try server.sendSignIn("nobody", "incorrect").text
            let instance = /.instance.:[^,]*/
            #expect(wrong.replacing(instance, with: "") == unknown.replacing(instance, with: ""))
            let disabled = try server.sendSignIn("mina", correctPassword)
            #expect(disabled.summary == "401 unauthenticated")
            #expect(disabled.text.contains("The account is disabled."))
            try server.send("PATCH /v1/users/\(user.id)", as: .admin, #"{"disabled":false}"#)
            #expect(try server.sendSignIn("mina", correctPassword).summary == "201")
        }
    }

    @Test func `an update honours If-Match, and keeps what it does not name`() async throws {
        try await TestBackend.run(samples: false) { server in
            let user = try server.addUser("mina")
            let line = "PATCH /v1/users/\(user.id)"
            let seen = try server.send("GET /v1/users/\(user.id)", as: .admin)
            let etag = try #require(seen.fields[.etag])
            let session = try server.signIn("mina")
            let renamed = try server.send(
                line, as: .admin, #"{"displayName":"Mina K."}"#, with: [.ifMatch: etag])
            #expect(renamed.summary == "200" && renamed.revision == 2)
            // Changing the display name does not end sessions.
            #expect(try server.send("GET /v1/me", in: session).summary == "200")
            let late = try server.send(
                line, as: .admin, #"{"role":"author"}"#, with: [.ifMatch: etag])
            #expect(late.summary == "412 precondition-failed @If-Match")
            let cleared = try server.send(line, as: .admin, #"{"displayName":null}"#)
            #expect(try User(mapping: cleared.body).displayName == "mina")
            for json in [#"{"role":null}"#, #"{"disabled":null}"#, #"{"password":null}"#] {
                #expect(try server.send(line, as: .admin, json).status == 422)
            }
        }
    }

    @Test func `users change their display name, and nothing else`() async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("mina")
            let session = try server.signIn("mina")
            let renamed = try server.send(
                "PATCH /v1/me", in: session, #"{"displayName":"Mina K."}"#)
            #expect(try User(mapping: renamed.body).displayName == "Mina K.")
            let rejected = try server.send("PATCH /v1/me", in: session, #"{"role":"admin"}"#)
            #expect(rejected.summary == "422 invalid-values /role")
            let invisible = try server.send(
                "PATCH /v1/me", in: session, #"{"displayName":"Mina\u200B K."}"#)
            #expect(invisible.summary == "422 invalid-values /displayName")
        }
    }

    @Test func `a new password needs the current one, and ends the other sessions`() async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("mina")
            let (phone, tablet) = (try server.signIn("mina"), try server.signIn("mina"))
            func change(_ current: String) throws -> BackendResponse {
                try server.send(
                    "PUT /v1/me/password", in: phone,
                    #"{\#(current)"password":"battery staple"}"#)
            }
            #expect(try change(#""current":"x","#).summary == "422 invalid-values /current")
            #expect(try change("").summary == "422 invalid-values /current")
            let common = #"{"current":"correct horse","password":"iloveyou"}"#
            let weak = try server.send("PUT /v1/me/password", in: phone, common)
            #expect(weak.summary == "422 invalid-values /password")
            #expect(try change(#""current":"correct horse","#).summary == "204")
            #expect(try server.send("GET /v1/me", in: phone).summary == "200")
            #expect(try server.send("GET /v1/me", in: tablet).summary == "401 unauthenticated")
            #expect(try server.sendSignIn("mina", correctPassword).status == 401)
            #expect(try server.sendSignIn("mina", "battery staple").status == 201)
        }
    }

    @Test func `a deleted account is gone, and its name is free`() async throws {
        try await TestBackend.run(samples: false) { server in
            let user = try server.addUser("mina")
            let session = try server.signIn("mina")
            let password = #"{"current":"correct horse"}"#
            #expect(try server.send("DELETE /v1/me", in: session, password).summary == "204")
            #expect(try server.send("GET /v1/me", in: session).summary == "401 unauthenticated")
            let line = "/v1/users/\(user.id)"
            #expect(try server.send("GET \(line)", as: .admin).summary == "404 not-found")
            #expect(try server.sendSignIn("mina", correctPassword).status == 401)
            let other = try server.addUser("mina")
            #expect(other.id != user.id)
            #expect(try server.send("DELETE /v1/users/\(other.id)", as: .editor).status == 403)
            #expect(try server.send("DELETE /v1/users/\(other.id)", as: .admin).status == 204)
        }
    }

    @Test(arguments: [nil, "{}", #"{"current":"incorrect"}"#])
    func `an account is not deleted without its password`(json: String?) async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("mina")
            let session = try server.signIn("mina")
            let rejected = try server.send("DELETE /v1/me", in: session, json)
            #expect(rejected.summary == "422 invalid-values /current")
            #expect(try server.send("GET /v1/me", in: session).summary == "200")
        }
    }

    @Test func `a deletion honours If-Match, and its passwords are throttled`() async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("mina")
            let session = try server.signIn("mina")
            let right = #"{"current":"correct horse"}"#
            let outdated = try server.send(
                "DELETE /v1/me", in: session, right, with: [.ifMatch: #""9-000000""#])
            #expect(outdated.summary == "412 precondition-failed @If-Match")
            func guess() throws -> BackendResponse {
                try server.send(
                    "DELETE /v1/me", in: session, #"{"current":"incorrect"}"#,
                    with: [.xForwardedFor: "203.0.113.7", .xForwardedProto: "https"])
            }
            for _ in 1...5 { #expect(try guess().summary == "422 invalid-values /current") }
            #expect(try guess().summary == "429 too-many-requests")
        }
    }

    @Test(arguments: ["DELETE /v1/me", "PUT /v1/me/password"])
    func `an account without a password needs a recent sign-in`(line: String) async throws {
        try await TestBackend.run(samples: false) { server in
            let time = TestBackend.opening
            let user = UserRecord(
                id: User.ID(at: time), name: "mina", nameKey: "mina", displayName: "Mina",
                role: "reader", passwordHash: nil, createdAt: time)
            let store = server.backend.store
            try await store.createUser(
                user, using: nil,
                identity: IdentityRecord(issuer: "https://id.example.org", subject: "1"), at: time)
            let tokens = SessionTokens(secret: [], system: .real)
            let end = time.advanced(byMilliseconds: 900_000)
            _ = try await store.createSession(
                SessionRecord(
                    id: tokens.access.sessionID, user: user.id,
                    tokens: TokenRecord(
                        accessDigest: tokens.access.digest, refreshDigest: tokens.refresh.digest,
                        accessExpiresAt: end, expiresAt: end),
                    device: "", address: "", createdAt: time),
                expecting: user.accessEpoch)
            let session = UserSession(
                accessToken: tokens.access.text, expiresAt: end,
                refreshToken: tokens.refresh.text, user: User(user))
            let json = line.hasPrefix("PUT") ? #"{"password":"battery staple"}"# : nil
            server.pass(milliseconds: 300_001)
            let late = try server.send(line, in: session, json)
            #expect(late.summary == "422 invalid-values /current")
            server.pass(milliseconds: -1)
            #expect(try server.send(line, in: session, json).summary == "204")
        }
    }

    @Test func `a key that acts for a user does not manage the account`() async throws {
        try await TestBackend.run(samples: false) { server in
            let user = try server.addUser("mina")
            let key = APIKey(
                name: "Mina's", role: .admin, owner: user.id, at: TestBackend.opening, system: .real
            )
            let record = String(decoding: key.record.json(), as: UTF8.self)
            #expect(try server.send("POST /v1/admin/keys", as: .admin, record).status == 204)
            let session = try server.signIn("mina")
            let password = #"{"current":"correct horse","password":"battery staple"}"#
            let id = session.accessToken.dropFirst(4).prefix(16)
            let requests: [(String, String?)] = [
                ("DELETE /v1/me", #"{"current":"correct horse"}"#),
                ("PUT /v1/me/password", password),
                ("GET /v1/me/sessions", nil), ("DELETE /v1/me/sessions/\(id)", nil),
                ("DELETE /v1/sessions/current", nil),
            ]
            for (line, json) in requests {
                let rejected = try server.send(
                    line, json, with: [.authorization: "Bearer \(key.text)"])
                #expect(rejected.summary == "403 user-required", "\(line)")
                #expect(rejected.text.contains("API keys cannot do it"), "\(line)")
            }
            #expect(try server.send("GET /v1/me", in: session).summary == "200")
        }
    }
}
