import ArticleAPI
import ArticleAccounts
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

/// Signing in, renewing tokens, and what ends a session.
@Suite struct SessionTests {
    private static let minute: Int64 = 60_000

    @Test func `an access token authenticates its user for 15 minutes`() async throws {
        try await TestBackend.run(samples: false) { server in
            let user = try server.addUser("mina")
            let session = try server.signIn("mina")
            #expect(session.user == user)
            #expect(session.accessToken.hasPrefix("bsa_"))
            #expect(session.refreshToken.hasPrefix("bsr_"))
            let me = try server.send("GET /v1/me", in: session)
            #expect(try User(mapping: me.body) == user)
            #expect(me.fields[.cacheControl] == "no-store")
            server.pass(milliseconds: 15 * Self.minute - 1)
            #expect(try server.send("GET /v1/me", in: session).summary == "200")
            server.pass(milliseconds: 1)
            let expired = try server.send("GET /v1/me", in: session)
            #expect(expired.summary == "401 unauthenticated")
            #expect(expired.text.contains("has expired"))
        }
    }

    @Test func `a wrong password and an unknown name get the same response`() async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("mina")
            let responses = try [
                server.sendSignIn("mina", "incorrect"), server.sendSignIn("bora", "incorrect"),
                server.sendSignIn("no name at all", "incorrect"),
                server.sendSignIn("mina", ""),
            ]
            let details = try responses.map { try Problem(mapping: $0.body).detail }
            #expect(Set(details) == ["The name or the password is wrong."])
            #expect(Set(responses.map(\.summary)) == ["401 unauthenticated"])
            #expect(responses.allSatisfy { !$0.fields.contains(.etag) })
        }
    }

    @Test func `a refresh token gets new tokens, and the old ones are no longer valid`()
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("mina")
            let old = try server.signIn("mina")
            #expect(try server.send("GET /v1/me", in: old).summary == "200")
            server.pass(milliseconds: 20 * Self.minute)
            let renewed = try UserSession(mapping: server.refresh(old).body)
            #expect(renewed.accessToken != old.accessToken)
            let expiry = TestBackend.opening.advanced(byMilliseconds: 35 * Self.minute)
            #expect(renewed.expiresAt == expiry)
            #expect(try server.send("GET /v1/me", in: renewed).summary == "200")
            #expect(try server.send("GET /v1/me", in: old).summary == "401 unauthenticated")
        }
    }

    @Test func `a lost response is given again days later, until its tokens are in use`()
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("mina")
            let old = try server.signIn("mina")
            let first = try server.refresh(old)
            server.pass(milliseconds: 15 * Self.minute - 1)
            let second = try server.refresh(old)
            #expect(first.summary == "200" && first.body == second.body)
            server.pass(milliseconds: 3 * 24 * 60 * Self.minute)
            let renewed = try UserSession(mapping: server.refresh(old).body)
            var expected = try UserSession(mapping: first.body)
            expected.expiresAt = server.now.advanced(byMilliseconds: 15 * Self.minute)
            #expect(renewed == expected)
            #expect(try server.send("GET /v1/me", in: renewed).summary == "200")
            // Another process of the same client may have sent the token at the same time.
            server.pass(milliseconds: 5_000)
            #expect(try UserSession(mapping: server.refresh(old).body) == renewed)
            server.pass(milliseconds: 1)
            #expect(try server.refresh(old).summary == "401 unauthenticated")
            #expect(try server.send("GET /v1/me", in: renewed).summary == "401 unauthenticated")
            #expect(try server.refresh(renewed).summary == "401 unauthenticated")
        }
    }

    @Test func `a clock that was set back does not prolong the use of an older token`()
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("mina")
            let old = try server.signIn("mina")
            let renewed = try UserSession(mapping: server.refresh(old).body)
            #expect(try server.send("GET /v1/me", in: renewed).summary == "200")
            server.pass(milliseconds: -5_000)
            #expect(try UserSession(mapping: server.refresh(old).body) == renewed)
            server.pass(milliseconds: -1)
            #expect(try server.refresh(old).summary == "401 unauthenticated")
            #expect(try server.refresh(renewed).summary == "401 unauthenticated")
        }
    }

    @Test func `a token from two renewals ago ends the session at once`() async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("mina")
            let first = try server.signIn("mina")
            let second = try UserSession(mapping: server.refresh(first).body)
            let third = try UserSession(mapping: server.refresh(second).body)
            #expect(try server.refresh(first).summary == "401 unauthenticated")
            #expect(try server.refresh(third).summary == "401 unauthenticated")
        }
    }

    @Test func `a made-up token of a known session is rejected and ends nothing`() async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("mina")
            let session = try server.signIn("mina")
            let id = session.accessToken.dropFirst(4).prefix(16)
            var forged = session
            for count in [43, 64] {
                forged.refreshToken = "bsr_\(id)_" + String(repeating: "A", count: count)
                #expect(try server.refresh(forged).summary == "401 unauthenticated")
            }
            // A genuine token of another session does not help.
            let other = try server.signIn("mina").refreshToken
            forged.refreshToken = "bsr_\(id)_" + other.dropFirst(21)
            #expect(try server.refresh(forged).summary == "401 unauthenticated")
            #expect(try server.send("GET /v1/me", in: session).summary == "200")
            #expect(try server.refresh(session).summary == "200")
        }
    }

    /// A token as older versions made them.
    private static func unmarked(_ id: Substring, _ letter: Character) throws -> RefreshToken {
        try #require(RefreshToken("bsr_\(id)_" + String(repeating: letter, count: 42) + "A"))
    }

    @Test func `a token without a mark is renewed, and ends its session if it was used before`()
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("mina")
            var session = try server.signIn("mina")
            let id = session.accessToken.dropFirst(4).prefix(16)
            let store = server.backend.store
            let old = try Self.unmarked(id, "A")
            session.refreshToken = old.text
            var tokens = try await store.session(String(id)).tokens
            let first = tokens.refreshDigest
            tokens.refreshDigest = old.digest
            _ = try await store.rotateSession(
                String(id), from: first, to: tokens, at: TestBackend.opening)
            let renewed = try UserSession(mapping: server.refresh(session).body)
            #expect(try UserSession(mapping: server.refresh(session).body) == renewed)
            #expect(try server.send("GET /v1/me", in: renewed).summary == "200")
            server.pass(milliseconds: 5_001)
            #expect(try server.refresh(session).summary == "401 unauthenticated")
            #expect(try server.refresh(renewed).summary == "401 unauthenticated")
        }
    }

    @Test(arguments: ["", "bsr_", "bsr_0123456789abcdef_x", "bsa_0123456789abcdef_x", "x"])
    func `what is not a refresh token is rejected`(token: String) async throws {
        try await TestBackend.run(samples: false) { server in
            let rejected = try server.send(
                "POST /v1/sessions/refresh", as: .anonymous, #"{"refreshToken":"\#(token)"}"#)
            #expect(rejected.summary == "401 unauthenticated")
        }
    }

    @Test func `tokens of one kind are not accepted as those of another`() async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("mina")
            let session = try server.signIn("mina")
            var swapped = session
            swapped.accessToken = session.refreshToken
            #expect(try server.send("GET /v1/me", in: swapped).summary == "401 unauthenticated")
            swapped.accessToken = "bsa_" + session.refreshToken.dropFirst(4)
            #expect(try server.send("GET /v1/me", in: swapped).summary == "401 unauthenticated")
            swapped.refreshToken = "bsr_" + session.accessToken.dropFirst(4)
            #expect(try server.refresh(swapped).summary == "401 unauthenticated")
        }
    }

    @Test func `signing out ends the session, and no other`() async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("mina")
            let (phone, tablet) = (try server.signIn("mina"), try server.signIn("mina"))
            #expect(try server.send("GET /v1/me", in: phone).summary == "200")
            #expect(try server.send("DELETE /v1/sessions/current", in: phone).summary == "204")
            #expect(try server.send("GET /v1/me", in: phone).summary == "401 unauthenticated")
            #expect(try server.refresh(phone).summary == "401 unauthenticated")
            #expect(try server.send("GET /v1/me", in: tablet).summary == "200")
        }
    }

    @Test func `sessions are listed, and ended by their own user`() async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("mina")
            try server.addUser("bora")
            let made = try server.send(
                "POST /v1/sessions",
                #"{"name":"mina","password":"correct horse","device":"Mina's phone"}"#,
                from: "203.0.113.7")
            let phone = try UserSession(mapping: made.body)
            server.pass(milliseconds: 1_000)
            let (tablet, other) = (try server.signIn("mina"), try server.signIn("bora"))
            let list = try server.send("GET /v1/me/sessions", in: tablet)
            #expect(list.fields[.cacheControl] == "no-store")
            let sessions = try Page<DeviceSession>(mapping: list.body).items
            #expect(sessions.map(\.device) == ["", "Mina's phone"])
            #expect(sessions.map(\.isCurrent) == [true, false])
            #expect(sessions.map(\.address) == ["127.0.0.1", "203.0.113.7"])
            let line = "DELETE /v1/me/sessions/\(sessions[1].id)"
            #expect(try server.send(line, in: other).summary == "404 not-found")
            #expect(try server.send(line, in: tablet).summary == "204")
            #expect(try server.send(line, in: tablet).summary == "404 not-found")
            #expect(try server.send("GET /v1/me", in: phone).summary == "401 unauthenticated")
        }
    }

    @Test func `admins list and end the sessions of any user`() async throws {
        try await TestBackend.run(samples: false) { server in
            let mina = try server.addUser("mina")
            let bora = try server.addUser("bora")
            let (phone, other) = (try server.signIn("mina"), try server.signIn("bora"))
            let line = "GET /v1/users/\(mina.id)/sessions"
            let list = try server.send(line, as: .admin)
            #expect(list.summary == "200" && list.fields[.cacheControl] == "no-store")
            let sessions = try Page<DeviceSession>(mapping: list.body).items
            #expect(sessions.count == 1 && sessions.map(\.isCurrent) == [false])
            #expect(!list.text.contains("token") && !list.text.contains("digest"))
            // Only by the path of its own user.
            let id = try #require(sessions.first?.id)
            let foreign = "DELETE /v1/users/\(bora.id)/sessions/\(id)"
            #expect(try server.send(foreign, as: .admin).summary == "404 not-found")
            #expect(try server.send("GET /v1/me", in: phone).summary == "200")

            let stream = try server.stream(
                "", as: .anonymous, [.authorization: "Bearer \(phone.accessToken)"])
            _ = try stream.events(upTo: "ready")
            let end = "DELETE /v1/users/\(mina.id)/sessions/\(id)"
            #expect(try server.send(end, as: .admin).summary == "204")
            #expect(try stream.events() == [] && stream.isComplete)
            #expect(try server.send("GET /v1/me", in: phone).summary == "401 unauthenticated")
            #expect(try server.send("GET /v1/me", in: other).summary == "200")
            #expect(try server.send(end, as: .admin).summary == "404 not-found")
            #expect(try server.send(line, as: .admin).text == #"{"items":[]}"#)
            let nobody = "GET /v1/users/\(Samples.nobody)/sessions"
            #expect(try server.send(nobody, as: .admin).summary == "404 not-found")
        }
    }

    @Test func `failures are throttled, and a success ends that`() async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("mina")
            func attempt(_ password: String) throws -> BackendResponse {
                try server.sendSignIn("mina", password, from: "203.0.113.7")
            }
            for _ in 1...5 { #expect(try attempt("incorrect").summary == "401 unauthenticated") }
            let limited = try attempt(correctPassword)
            #expect(limited.summary == "429 too-many-requests")
            #expect(limited.fields[.retryAfter] == "1")
            server.pass(milliseconds: 1_000)
            #expect(try attempt(correctPassword).summary == "201")
            #expect(try attempt("incorrect").summary == "401 unauthenticated")
        }
    }

    @Test(arguments: ["anonymous", "reader", "operator"])
    func `credentials without an account cannot use one`(sender: String) async throws {
        try await TestBackend.run(samples: false) { server in
            let sender = try #require(Sender(rawValue: sender))
            let summary = sender == .anonymous ? "401 unauthenticated" : "403 user-required"
            for line in [
                "GET /v1/me", "DELETE /v1/me", "GET /v1/me/sessions",
                "DELETE /v1/me/sessions/0123456789abcdef", "DELETE /v1/sessions/current",
            ] {
                #expect(try server.send(line, as: sender).summary == summary, "\(line)")
            }
        }
    }
}
