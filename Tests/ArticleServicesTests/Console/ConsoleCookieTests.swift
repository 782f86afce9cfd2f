import ArticleAPI
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetTestSupport
import Testing

@testable import ArticleServices

/// For which requests the console's cookie counts, and that nobody else gets what it shows.
@Suite struct ConsoleCookieTests {
    private static let sites: [String?] = [
        "same-origin", "same-site", "cross-site", "none", "Same-Origin", "same-origin, same-origin",
        "", nil,
    ]

    @Test func `the cookie counts only for pages of the same origin, whatever the method`()
        async throws
    {
        try await TestBackend.run { server in
            let cookie = try server.signInToConsole(server.proof(of: .admin))
            let made = try server.send("POST /v1/articles", as: .admin, #"{"title":"Bread"}"#)
            let id = try Article(mapping: made.body).id
            let key = try #require(server.keys.records.first { $0.name == "reader's key" }).id
            for (line, json) in [
                ("GET /v1/admin/keys", nil), ("HEAD /v1/admin/keys", nil),
                ("POST /v1/articles", #"{"title":"Salt"}"#),
                ("PATCH /v1/articles/\(id)", #"{"title":"Yeast"}"#),
                ("POST /v1/admin/keys/\(key)/revocation", nil),
                ("DELETE /v1/articles/\(id)", nil),
            ] as [(String, String?)] {
                for way in BrowserAccess.allCases {
                    for site in Self.sites where site != "same-origin" || way != .secure {
                        let before = try await server.changes()
                        let response = try server.browse(
                            line, json, way, cookie: cookie, site: site)
                        // Over plain HTTP from elsewhere, it may have been read on the way.
                        let status = way == .exposed ? 403 : 401
                        #expect(response.status == status, "\(line) \(way) \(site ?? "-")")
                        #expect(try await server.changes() == before)
                    }
                }
                let response = try server.browse(line, json, cookie: cookie)
                #expect(response.status < 300, "\(line): \(response.text)")
            }
        }
    }

    @Test func `sessions begin and end only from pages of the same origin`() async throws {
        try await TestBackend.run(samples: false) { server in
            let cookie = try server.signInToConsole(server.proof(of: .admin))
            let proof = try server.proof(of: .admin)
            for (line, json) in [
                (TestBackend.signInLine, proof), ("DELETE /console/session", nil),
            ] as [(String, String?)] {
                for site in Self.sites where site != "same-origin" {
                    for way in [BrowserAccess.secure, .local] {
                        // A program on this machine has no page, and gets a token.
                        guard way == .secure || site != nil else { continue }
                        let response = try server.browse(
                            line, json, way, cookie: cookie, site: site)
                        #expect(response.summary == "403 forbidden @Sec-Fetch-Site")
                        #expect(!response.fields.contains(.setCookie))
                    }
                }
            }
            let exposed = try server.browse(TestBackend.signInLine, proof, .exposed)
            #expect(exposed.summary == "403 insecure-transport #")
            #expect(try server.browse("GET /v1/admin/keys", cookie: cookie).status == 200)
        }
    }

    @Test func `only one cookie with the exact name counts`() async throws {
        try await TestBackend.run(samples: false) { server in
            let cookie = try server.signInToConsole(server.proof(of: .admin))
            let value = cookie.dropFirst("__Host-broadsheet=".count)
            for (text, status) in [
                (cookie, 200), ("a=b; \(cookie); c=d", 200), ("a=b;\(cookie)", 200),
                ("\(cookie).and.more", 200),
                ("\(cookie); \(cookie)", 401), ("__host-broadsheet=\(value)", 401),
                ("broadsheet=\(value)", 401), ("x__Host-broadsheet=\(value)", 401),
                ("__Host-broadsheet", 401), ("a=\(cookie)", 401),
                ("__Host-broadsheet=", 401), ("__Host-broadsheet=.\(value)", 401),
                ("__Host-broadsheet=\"\(value)\"", 401),
            ] as [(String, Int)] {
                let response = try server.browse("GET /v1/admin/keys", cookie: text)
                #expect(response.status == status, "\(text)")
            }
            // An explicit key wins, even if it allows less.
            let reader = try #require(server.keys.texts[.reader])
            let mixed = try server.browse(
                "GET /v1/admin/keys", cookie: cookie,
                with: [.authorization: "Bearer \(reader)"])
            #expect(mixed.status == 403)
        }
    }

    @Test func `the cookie means nothing outside of the API`() async throws {
        try await TestBackend.run(samples: false) { server in
            let garbage = "__Host-broadsheet=bsc_garbage"
            for target in ["/", "/console", "/livez", "/openapi.json", "/console/session"] {
                #expect(try server.browse("GET \(target)", cookie: garbage).status == 200)
            }
            let rejected = try server.browse("GET /v1/articles", cookie: garbage)
            #expect(rejected.summary == "401 unauthenticated")
        }
    }

    /// Requests on one connection, of which the second is served without resuming the task.
    @Test func `caches never give a response for the cookie to anybody else`() async throws {
        try await TestBackend.run { server in
            try server.addUser("ann")
            try server.addUser("eve", "editor")
            let reader = try server.signInToConsole(server.proof("ann"))
            let editor = try server.signInToConsole(server.proof("eve"))
            let connection = try RawConnection(server.address)
            func ask(_ cookie: String?) throws -> ReceivedResponse {
                var head = "GET /v1/articles HTTP/1.1\r\nHost: t\r\nSec-Fetch-Site: same-origin\r\n"
                head += "X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-Proto: https\r\n"
                if let cookie { head += "Cookie: \(cookie)\r\n" }
                try connection.send(head + "\r\n")
                return try connection.response()
            }
            for round in 0..<3 {
                let everybodys = try ask(nil)
                let readers = try ask(reader)
                let editors = try ask(editor)
                let forged = try ask("__Host-broadsheet=bsa_0123456789abcdef_x")
                #expect(everybodys.fields[.cacheControl] == "public, no-cache", "\(round)")
                #expect(!everybodys.fields.list(.vary, has: "Cookie"))
                #expect(readers.body == everybodys.body)
                #expect(editors.body != everybodys.body, "an editor sees drafts")
                for mine in [readers, editors] {
                    #expect(mine.fields[.cacheControl] == "private, no-cache", "\(round)")
                    #expect(mine.fields.list(.vary, has: "Cookie"))
                    #expect(mine.fields.list(.vary, has: "Sec-Fetch-Site"))
                }
                #expect(forged.status == 401 && forged.fields[.cacheControl] == "no-store")
            }
            #expect(server.backend.cacheStatistics.hits >= 5)
        }
    }

    @Test func `a page follows changes by the cookie until the key is revoked`() async throws {
        try await TestBackend.run(samples: false) { server in
            let cookie = try server.signInToConsole(server.proof(of: .editor))
            var fields = BrowserAccess.secure.fields
            fields[.secFetchSite] = "same-origin"
            fields[.cookie] = cookie
            let stream = try server.stream("?since=now", as: .anonymous, fields)
            #expect(stream.head.fields.list(.vary, has: "Cookie"))
            _ = try server.send("POST /v1/articles", as: .admin, #"{"title":"A draft"}"#)
            let change = try stream.events(upTo: "change").last
            #expect(change?.data.contains("A draft") ?? false)
            try server.revoke(.editor)
            while try stream.next() != nil {}
        }
    }

    @Test(arguments: [Sender.editor, .operator])
    func `signing out ends the streams of that session alone`(sender: Sender) async throws {
        try await TestBackend.run(samples: false) { server in
            func stream(_ cookie: String) throws -> EventStreamClient {
                var fields = BrowserAccess.secure.fields
                fields[.secFetchSite] = "same-origin"
                fields[.cookie] = cookie
                return try server.stream("?since=now", as: .anonymous, fields)
            }
            let cookies = try (1...2).map { _ in
                try server.signInToConsole(server.proof(of: sender))
            }
            let (mine, others) = (try stream(cookies[0]), try stream(cookies[1]))
            let program = try server.stream("?since=now", as: sender)
            for each in [mine, others, program] { _ = try each.events(upTo: "ready") }
            let end = try server.browse("DELETE /console/session", cookie: cookies[0])
            #expect(end.status == 204)
            #expect(try mine.events() == [] && mine.isComplete)
            _ = try server.send("POST /v1/articles", as: .admin, #"{"title":"A draft"}"#)
            #expect(try others.next()?.type == "change")
            #expect(try program.next()?.type == "change")
        }
    }
}
