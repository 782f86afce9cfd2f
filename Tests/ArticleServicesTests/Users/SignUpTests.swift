import ArticleAPI
import ArticleAdminAPI
import ArticleServices
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts

/// `POST /v1/users` and `POST /v1/invitations`: who gets an account, and with which role.
@Suite struct SignUpTests {
    private static func draft(_ name: String, _ more: String = "") -> String {
        #"{"name":"\#(name)","password":"correct horse"\#(more)}"#
    }

    @Test func `a new user is a reader, and can sign in`() async throws {
        try await TestBackend.run(samples: false) { server in
            let made = try server.send("POST /v1/users", as: .anonymous, Self.draft("Mina_K"))
            #expect(made.summary == "201")
            let user = try User(mapping: made.body)
            #expect(made.fields[.location] == "/v1/users/\(user.id)")
            #expect(user.name == "Mina_K" && user.displayName == "Mina_K" && user.role == .reader)
            #expect(user.isDisabled == false && user.revision == 1)
            #expect(try server.signIn("MINA_k").user == user)
        }
    }

    @Test(arguments: [
        "/v1/users", "/v1/sessions", "/v1/sessions/refresh", "/console/session",
    ])
    func `a body of more than 64 KiB is not read from somebody unknown`(path: String) async throws {
        try await TestBackend.run(samples: false) { server in
            for (bytes, isTooLarge) in [(64 << 10, false), (64 << 10 | 1, true), (1 << 20, true)] {
                let body = String(repeating: " ", count: bytes)
                let response = try server.send("POST \(path)", as: .anonymous, body)
                let isRejected = response.summary == "413 content-too-large"
                #expect(isRejected == isTooLarge, "\(bytes) \(response.summary)")
            }
        }
    }

    @Test(arguments: [
        (#"{"name":"ab","password":"correct horse"}"#, "422 invalid-values /name"),
        (#"{"name":"a b c","password":"correct horse"}"#, "422 invalid-values /name"),
        (#"{"name":"mina","password":"correct"}"#, "422 invalid-values /password"),
        (#"{"name":"mina"}"#, "422 invalid-values /password"),
        (#"{"name":"mina-kim","password":"MINA-KIM"}"#, "422 invalid-values /password"),
        (#"{"name":"mina","password":"password1"}"#, "422 invalid-values /password"),
        (
            #"{"name":"mina","password":"correct horse","displayName":"Mina\u202E"}"#,
            "422 invalid-values /displayName"
        ),
        (#"{"name":"mina","password":"correct horse","age":3}"#, "422 invalid-values /age"),
        (
            #"{"name":"mina","password":"correct horse","role":"admin"}"#,
            "422 invalid-values /role"
        ),
        (
            #"{"name":"mina","password":"correct horse","invitation":"bsi_x"}"#,
            "422 invalid-values /invitation"
        ),
        (#"{"name":"TAKEN","password":"correct horse"}"#, "409 name-taken /name"),
    ])
    func `bad accounts are rejected with the place of the fault`(json: String, summary: String)
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("taken")
            let rejected = try server.send("POST /v1/users", as: .anonymous, json)
            #expect(rejected.summary == summary, "\(rejected.text)")
            #expect(!rejected.text.contains("correct"))
        }
    }

    @Test func `only admins choose a role`() async throws {
        try await TestBackend.run(samples: false) { server in
            for sender in [Sender.anonymous, .reader, .editor] {
                let rejected = try server.send(
                    "POST /v1/users", as: sender, Self.draft("mina", #","role":"reader""#))
                #expect(rejected.summary == "422 invalid-values /role", "\(sender)")
            }
            let made = try server.send(
                "POST /v1/users", as: .admin, Self.draft("mina", #","role":"editor""#))
            #expect(try User(mapping: made.body).role == .editor)
        }
    }

    @Test func `an invitation is needed where sign-up is not open, and works once`() async throws {
        try await TestBackend.run(samples: false, signUp: .invitation) { server in
            let closed = try server.send("POST /v1/users", as: .anonymous, Self.draft("mina"))
            #expect(closed.summary == "403 sign-up-closed")
            let made = try server.send(
                "POST /v1/invitations", as: .admin, #"{"role":"author"}"#)
            #expect(made.summary == "201")
            let invitation = try Invitation(mapping: made.body)
            let days = invitation.expiresAt.milliseconds - invitation.createdAt.milliseconds
            #expect(days == 7 * 86_400_000)
            let code = try #require(invitation.code)
            let user = try server.send(
                "POST /v1/users", as: .anonymous, Self.draft("mina", #","invitation":"\#(code)""#))
            #expect(try User(mapping: user.body).role == .author)
            let again = try server.send(
                "POST /v1/users", as: .anonymous, Self.draft("bora", #","invitation":"\#(code)""#))
            #expect(again.summary == "422 invalid-values /invitation")
        }
    }

    @Test func `an invitation expires`() async throws {
        try await TestBackend.run(samples: false, signUp: .invitation) { server in
            let made = try server.send(
                "POST /v1/invitations", as: .admin, #"{"expiresAt":"2027-01-15T09:00:00Z"}"#)
            let code = try #require(try Invitation(mapping: made.body).code)
            server.pass(milliseconds: 3_600_000)
            let late = try server.send(
                "POST /v1/users", as: .anonymous, Self.draft("mina", #","invitation":"\#(code)""#))
            #expect(late.summary == "422 invalid-values /invitation")
        }
    }

    @Test(arguments: [
        (Sender.anonymous, "{}", "401 unauthenticated"), (.reader, "{}", "403 forbidden"),
        (.editor, "{}", "403 forbidden"),
        (.admin, #"{"role":"king"}"#, "422 invalid-values /role"),
        (.admin, #"{"expiresAt":"2027-01-15T07:00:00Z"}"#, "422 invalid-values /expiresAt"),
        (.admin, #"{"expiresAt":"2028-01-15T07:00:00Z"}"#, "422 invalid-values /expiresAt"),
    ])
    func `only admins invite, and not for ever`(sender: Sender, json: String, summary: String)
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            let rejected = try server.send("POST /v1/invitations", as: sender, json)
            #expect(rejected.summary == summary)
        }
    }

    @Test func `an address creates ten accounts an hour`() async throws {
        try await TestBackend.run(samples: false) { server in
            func signUp(_ number: Int, from address: String?) throws -> BackendResponse {
                try server.send("POST /v1/users", Self.draft("mina\(number)"), from: address)
            }
            for number in 1...10 {
                #expect(try signUp(number, from: "203.0.113.7").summary == "201")
            }
            let limited = try signUp(11, from: "203.0.113.7")
            #expect(limited.summary == "429 too-many-requests")
            #expect(limited.fields[.retryAfter] == "360")
            #expect(try signUp(11, from: "203.0.113.8").summary == "201")
            #expect(try signUp(12, from: nil).summary == "201")
            server.pass(milliseconds: 360_000)
            #expect(try signUp(13, from: "203.0.113.7").summary == "201")
            #expect(try signUp(14, from: "203.0.113.7").summary == "429 too-many-requests")
        }
    }

    @Test func `a network of IPv6 creates forty accounts, whatever its addresses`() async throws {
        try await TestBackend.run(samples: false) { server in
            func signUp(_ name: String, from address: String) throws -> Int {
                try server.send("POST /v1/users", Self.draft(name), from: address).status
            }
            // A /56 creates twenty.
            let first = try (0..<25).map { try signUp("a\($0)-x", from: "2001:db8:1:\($0)::1") }
            #expect(first.count { $0 == 201 } == 20 && first.last == 429)
            let second = try (0..<25).map {
                try signUp("b\($0)-x", from: "2001:db8:1:\($0)00::1")
            }
            #expect(second.count { $0 == 201 } == 20 && second.last == 429)
            #expect(try signUp("c-x", from: "2001:db8:2::1") == 201)
        }
    }

    @Test(arguments: [
        ("POST /v1/users", #"{"name":"mina","password":"correct horse"}"#),
        ("POST /v1/sessions", #"{"name":"mina","password":"correct horse"}"#),
        ("POST /v1/sessions/refresh", #"{"refreshToken":"x"}"#),
    ])
    func `secrets are not accepted over plain HTTP from other machines, nor with a key`(
        line: String, json: String
    ) async throws {
        try await TestBackend.run(samples: false) { server in
            let exposed = try server.send(
                line, as: .anonymous, json, with: [.xForwardedFor: "203.0.113.7"])
            #expect(exposed.summary == "403 insecure-transport #")
            let repeatable = try server.send(
                line, as: .anonymous, json, with: [.idempotencyKey: "k"])
            #expect(repeatable.summary == "400 malformed-request @Idempotency-Key")
        }
    }
}
