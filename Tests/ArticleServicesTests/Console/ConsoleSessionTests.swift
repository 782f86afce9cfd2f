import ArticleAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts
@testable import ArticleOperations
@testable import ArticleServices

/// Signing in to the console, and out.
@Suite struct ConsoleSessionTests {
    @Test func `over TLS a user's session is in a cookie that scripts cannot read`() async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("ann", "editor")
            let response = try server.browse(TestBackend.signInLine, server.proof("ann"))
            #expect(response.status == 201)
            let field = try #require(response.fields[.setCookie])
            let attributes = "; Path=/; Max-Age=5184000; Secure; HttpOnly; SameSite=Strict"
            #expect(field.hasPrefix("__Host-broadsheet=bsa_") && field.hasSuffix(attributes))
            #expect(response.fields[.cacheControl] == "no-store")
            let session = try response.session()
            #expect(session.mode == .cookie && session.kind == .user && session.canRenew)
            #expect(session.name == "ann" && session.role == "editor")
            #expect(session.user?.name == "ann")
            #expect(session.accessToken == nil && session.refreshToken == nil)
            #expect(!response.text.contains("bsa_") && !response.text.contains("bsr_"))

            let cookie = try response.cookie()
            let shown = try server.browse("GET /console/session", cookie: cookie)
            #expect(try shown.session() == session)
            let me = try server.browse("GET /v1/me", cookie: cookie)
            #expect(me.status == 200 && me.text.contains(#""name":"ann""#))
        }
    }

    @Test func `over plain HTTP on this machine the page gets the tokens`() async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("ann", "editor")
            let response = try server.browse(
                TestBackend.signInLine, server.proof("ann"), .local)
            #expect(response.status == 201 && !response.fields.contains(.setCookie))
            let session = try response.session()
            let token = try #require(session.accessToken)
            let refresh = try #require(session.refreshToken)
            #expect(session.mode == .bearer)
            let bearer: HTTPFields = [.authorization: "Bearer \(token)"]
            let me = try server.browse("GET /v1/me", nil, .local, with: bearer)
            #expect(me.status == 200)

            let renewed = try server.browse(
                TestBackend.signInLine, #"{"refreshToken":"\#(refresh)"}"#, .local)
            #expect(renewed.status == 200 && !renewed.fields.contains(.setCookie))
            #expect(try renewed.session().accessToken != token)
            // A cookie of another server on this machine means nothing.
            let cookie = "__Host-broadsheet=\(try #require(renewed.session().accessToken))"
            #expect(try server.browse("GET /v1/me", nil, .local, cookie: cookie).status == 401)
        }
    }

    @Test func `a session in a cookie is renewed and ended`() async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("ann")
            let first = try server.signInToConsole(server.proof("ann"))
            server.pass(milliseconds: 15 * 60 * 1_000)
            #expect(try server.browse("GET /v1/me", cookie: first).summary.hasPrefix("401"))
            let expired = try server.browse("GET /console/session", cookie: first).session()
            #expect(expired.kind == .anonymous && expired.canRenew)

            let renewal = try server.browse(
                TestBackend.signInLine, #"{"renew":true}"#, cookie: first)
            #expect(renewal.status == 200)
            let second = try renewal.cookie()
            #expect(second != first)
            #expect(try server.browse("GET /v1/me", cookie: second).status == 200)

            let end = try server.browse("DELETE /console/session", cookie: second)
            #expect(end.status == 204)
            let cleared = "__Host-broadsheet=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Strict"
            #expect(end.fields[.setCookie] == cleared)
            #expect(try server.browse("GET /v1/me", cookie: second).status == 401)
            let again = try server.browse(
                TestBackend.signInLine, #"{"renew":true}"#, cookie: second)
            #expect(again.summary == "401 unauthenticated")
        }
    }

    @Test func `signing out ends a session whose access has expired`() async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("ann")
            for way in [BrowserAccess.secure, .local] {
                let response = try server.browse(TestBackend.signInLine, server.proof("ann"), way)
                server.pass(milliseconds: 15 * 60 * 1_000)
                var bearer = HTTPFields()
                let session = try response.session()
                if let token = session.accessToken { bearer[.authorization] = "Bearer \(token)" }
                let cookie = way == .secure ? try response.cookie() : nil
                let end = try server.browse(
                    "DELETE /console/session", nil, way, cookie: cookie, with: bearer)
                #expect(end.status == 204)
                let renewal =
                    session.refreshToken.map { #"{"refreshToken":"\#($0)"}"# } ?? #"{"renew":true}"#
                let again = try server.browse(
                    TestBackend.signInLine, renewal, way, cookie: cookie)
                #expect(again.summary == "401 unauthenticated", "\(way)")
            }
        }
    }

    @Test func `signing out without a session works, and ends nobody else's`() async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("ann")
            let session = try server.signIn("ann")
            let number = session.accessToken.dropFirst(4).prefix(16)
            let forged = "bsa_\(number)_" + String(repeating: "A", count: 43)
            let mark = "bsr_\(number)_" + String(repeating: "A", count: 64)
            for cookie in [nil, "__Host-broadsheet=\(forged)", "__Host-broadsheet=x.\(mark)"] {
                let end = try server.browse("DELETE /console/session", cookie: cookie)
                #expect(end.status == 204)
            }
            #expect(try server.send("GET /v1/me", in: session).status == 200)
        }
    }

    @Test func `a session by a key ends with the key, and a browser never gets the key`()
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            for way in [BrowserAccess.secure, .local] {
                let response = try server.browse(
                    TestBackend.signInLine, server.proof(of: .editor), way)
                #expect(response.status == 201)
                let session = try response.session()
                #expect(session.kind == .key && session.name == "editor's key")
                #expect(session.role == "editor" && !session.canRenew && session.user == nil)
                let everything = response.fields.all.map(\.value).joined() + response.text
                #expect(everything.contains("bsc_") && !everything.contains("bsk_"))
            }
            let cookie = try server.signInToConsole(server.proof(of: .editor))
            let line = "POST /v1/articles"
            let made = try server.browse(line, #"{"title":"Bread"}"#, cookie: cookie)
            #expect(made.status == 201)
            try server.revoke(.editor)
            let summary = "401 unauthenticated"
            #expect(
                try server.browse(line, #"{"title":"Salt"}"#, cookie: cookie).summary == summary)
            let shown = try server.browse("GET /console/session", cookie: cookie).session()
            #expect(shown.kind == .anonymous && !shown.canRenew)
        }
    }

    @Test func `sessions by keys end after eight hours, and by signing out`() async throws {
        try await TestBackend.run(samples: false) { server in
            for sender in [Sender.admin, .operator] {
                let first = try server.signInToConsole(server.proof(of: sender))
                let second = try server.signInToConsole(server.proof(of: sender))
                #expect(try server.browse("GET /v1/admin/keys", cookie: first).status == 200)
                #expect(try server.browse("DELETE /console/session", cookie: first).status == 204)
                #expect(try server.browse("GET /v1/admin/keys", cookie: first).status == 401)
                #expect(try server.browse("GET /v1/admin/keys", cookie: second).status == 200)
                server.pass(milliseconds: ConsoleSessions.sessionMilliseconds)
                #expect(try server.browse("GET /v1/admin/keys", cookie: second).status == 401)
            }
        }
    }

    @Test func `the oldest sessions of a key make room for new ones, and for nobody else's`()
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            let others = try server.signInToConsole(server.proof(of: .operator))
            var cookies: [String] = []
            for _ in 0...ConsoleSessions.limitSessions.ofGrant {
                server.pass(milliseconds: 1)
                cookies.append(try server.signInToConsole(server.proof(of: .admin)))
            }
            let statuses = try cookies.map {
                try server.browse("GET /v1/admin/keys", cookie: $0).status
            }
            #expect(statuses == [401] + Array(repeating: 200, count: cookies.count - 1))
            #expect(try server.browse("GET /v1/admin/keys", cookie: others).status == 200)
        }
    }

    @Test(arguments: Sender.rejected)
    func `a key that is not valid signs nobody in`(sender: Sender) async throws {
        try await TestBackend.run(samples: false) { server in
            let response = try server.browse(TestBackend.signInLine, server.proof(of: sender))
            #expect(response.summary == "401 unauthenticated")
            #expect(!response.fields.contains(.setCookie))
        }
    }

    @Test func `unknown names and wrong passwords are rejected alike, and throttled`()
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("ann")
            let wrong = try server.browse(TestBackend.signInLine, server.proof("ann", "wrong one"))
            let unknown = try server.browse(TestBackend.signInLine, server.proof("bob"))
            #expect(wrong.summary == "401 unauthenticated")
            func detail(_ response: BackendResponse) throws -> String? {
                try Problem(mapping: response.body).detail
            }
            #expect(try detail(wrong) == detail(unknown))
            // The same attempts as those of `POST /v1/sessions`.
            var last = ""
            for _ in 0..<200 where !last.hasPrefix("429") {
                last = try server.sendSignIn("ann", "wrong one", from: "203.0.113.9").summary
            }
            #expect(last == "429 too-many-requests")
            let response = try server.browse(TestBackend.signInLine, server.proof("ann"))
            #expect(response.summary == "429 too-many-requests")
            #expect(response.fields.contains(.retryAfter))
        }
    }

    @Test func `what is not one way to sign in is rejected`() async throws {
        try await TestBackend.run(samples: false) { server in
            for (json, summary) in [
                ("{}", "422 invalid-values #"), (#"{"name":"ann"}"#, "422 invalid-values #"),
                (#"{"renew":false}"#, "422 invalid-values #"),
                (#"{"key":"a","token":"b"}"#, "422 invalid-values #"),
                (#"{"nme":"ann"}"#, "422 invalid-values /nme"), ("[", "400 malformed-request #"),
                (#"{"renew":true}"#, "401 unauthenticated"),
                (#"{"refreshToken":"bsr_x"}"#, "401 unauthenticated"),
                (#"{"token":"x"}"#, "401 unauthenticated"),
                (#"{"key":""}"#, "401 unauthenticated"),
            ] {
                let response = try server.browse(TestBackend.signInLine, json)
                #expect(response.summary == summary, "\(json): \(response.text)")
            }
            let plain: HTTPFields = [.contentType: "text/plain"]
            let response = try server.browse(
                TestBackend.signInLine, server.proof(of: .admin), with: plain)
            #expect(response.summary == "415 unsupported-media-type @Content-Type")
        }
    }
}
