import ArticleAPI
import ArticleAccounts
import ArticleServiceCore
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// Only keys that see exactly what is public get cached public responses.
@Suite struct ReaderCacheTests {
    private static let article = "/v1/articles/\(Samples.bread)"
    private static let list = "/v1/articles?fields=id,title,body"

    /// Sends requests on one persistent connection, as apps do.
    private struct PersistentClient {
        let connection: RawConnection

        init(_ server: TestBackend) throws { connection = try RawConnection(server.address) }

        static func request(
            _ target: String, _ key: String?, _ fields: String = "", method: String = "GET"
        ) -> String {
            let line = key.map { "Authorization: Bearer \($0)\r\n" } ?? ""
            return "\(method) \(target) HTTP/1.1\r\nHost: t\r\n\(line)\(fields)\r\n"
        }

        func ask(
            _ target: String, _ key: String?, _ fields: String = "", method: HTTPMethod = .get
        ) throws -> ReceivedResponse {
            try connection.send(Self.request(target, key, fields, method: method.rawValue))
            return try connection.response(to: method)
        }
    }

    @Test func `a reader gets the public bytes and validators as private ones`()
        async throws
    {
        try await TestBackend.run { server in
            let talk = try PersistentClient(server)
            let key = try #require(server.keys.texts[.reader])
            for target in [Self.article, Self.list] {
                let everybodys = try talk.ask(target, nil)
                _ = try talk.ask(target, key)
                let hits = server.backend.cacheStatistics.hits
                for method in [HTTPMethod.get, .head, .get] {
                    let mine = try talk.ask(target, key, method: method)
                    #expect(mine.status == 200)
                    #expect(mine.body == (method == .get ? everybodys.body : []))
                    for name in [
                        HTTPFieldName.etag, .lastModified, .contentType, .contentLength, .vary,
                    ] {
                        #expect(mine.fields[name] == everybodys.fields[name], "\(name)")
                    }
                    #expect(mine.fields[.cacheControl] == "private, no-cache")
                    #expect(mine.fields.list(.vary, has: "Authorization"))
                }
                #expect(server.backend.cacheStatistics.hits == hits + 3)
                let etag = try #require(everybodys.fields[.etag])
                let kept = try talk.ask(target, key, "If-None-Match: \(etag)\r\n")
                #expect(kept.status == 304)
                #expect(kept.fields[.cacheControl] == "private, no-cache")
                let again = try talk.ask(target, nil)
                #expect(again.fields[.cacheControl] == "public, no-cache")
            }
        }
    }

    @Test func `a reader's first request is cached for everyone, and compressed`() async throws {
        try await TestBackend.run { server in
            let long = String(repeating: "salt and flour ", count: 500)
            let made = try server.send(
                "POST /v1/articles", as: .editor,
                #"{"title":"Long","slug":"long","body":"\#(long)","status":"published"}"#)
            #expect(made.summary == "201")
            let talk = try PersistentClient(server)
            let key = try #require(server.keys.texts[.reader])
            let gzip = "Accept-Encoding: gzip\r\n"
            let first = try talk.ask("/v1/articles/long", key, gzip)
            #expect(first.fields[.contentEncoding] == "gzip")
            #expect(first.fields[.cacheControl] == "private, no-cache")
            let misses = server.backend.cacheStatistics.misses
            let everybodys = try talk.ask("/v1/articles/long", nil, gzip)
            let mine = try talk.ask("/v1/articles/long", key, gzip)
            #expect(server.backend.cacheStatistics.misses == misses)
            #expect(everybodys.fields[.cacheControl] == "public, no-cache")
            #expect(mine.body == first.body && everybodys.body == first.body)
            #expect(mine.fields[.etag] == first.fields[.etag])
        }
    }

    @Test func `concurrent requests of all callers get their own responses`() async throws {
        try await TestBackend.run { server in
            let talk = try PersistentClient(server)
            let callers: [Sender] = [.anonymous, .reader, .editor, .reader, .garbage, .anonymous]
            for _ in 0..<20 {
                let requests = callers.map {
                    PersistentClient.request(Self.list, server.keys.texts[$0])
                }
                try talk.connection.send(requests.joined())
                for caller in callers {
                    let response = try talk.connection.response()
                    let isEditor = caller == .editor
                    #expect(response.status == (caller == .garbage ? 401 : 200))
                    guard response.status == 200 else { continue }
                    #expect(response.text.contains("Secret plan") == isEditor)
                    #expect(
                        response.fields[.cacheControl]
                            == (caller == .anonymous ? "public, no-cache" : "private, no-cache"))
                }
            }
        }
    }

    @Test(arguments: Sender.editors)
    func `privileged callers neither use nor fill the cache`(sender: Sender)
        async throws
    {
        try await TestBackend.run { server in
            let talk = try PersistentClient(server)
            let key = server.keys.texts[sender]
            for _ in 0..<3 {
                #expect(try !talk.ask(Self.list, nil).text.contains("Secret plan"))
                let statistics = server.backend.cacheStatistics
                #expect(try talk.ask(Self.list, key).text.contains("Secret plan"))
                #expect(server.backend.cacheStatistics == statistics)
            }
        }
    }

    @Test(arguments: Sender.rejected)
    func `cached responses are not sent to invalid keys`(sender: Sender) async throws {
        try await TestBackend.run { server in
            let talk = try PersistentClient(server)
            let good = try #require(server.keys.texts[.reader])
            let bad = try #require(server.keys.texts[sender])
            for _ in 0..<3 {
                #expect(try talk.ask(Self.article, good).status == 200)
                #expect(try talk.ask(Self.article, bad).status == 401)
                let half = String(good.dropLast()) + (good.hasSuffix("A") ? "B" : "A")
                for text in [half, good + "A", String(good.dropLast()), good.uppercased()] {
                    #expect(try talk.ask(Self.article, text).status == 401)
                }
                let twice = "Authorization: Bearer \(good)\r\n"
                #expect(try talk.ask(Self.article, good, twice).status == 401)
            }
        }
    }

    @Test func `a reader's key ends at once although its responses are cached`() async throws {
        try await TestBackend.run { server in
            let end = TestBackend.opening.advanced(byMilliseconds: 1_000)
            let keys = [
                APIKey(name: "one", role: .reader, at: TestBackend.opening, system: .real),
                APIKey(
                    name: "two", role: .reader, at: TestBackend.opening, expiresAt: end,
                    system: .real),
            ]
            let talk = try PersistentClient(server)
            for key in keys {
                server.backend.admit(key.record)
                for _ in 0..<3 { #expect(try talk.ask(Self.article, key.text).status == 200) }
            }
            var revoked = keys[0].record
            revoked.revokedAt = TestBackend.opening
            server.backend.admit(revoked)
            #expect(try talk.ask(Self.article, keys[0].text).status == 401)
            server.pass(milliseconds: 999)
            #expect(try talk.ask(Self.article, keys[1].text).status == 200)
            server.pass(milliseconds: 1)
            #expect(try talk.ask(Self.article, keys[1].text).status == 401)
            // A key with a changed role has it in the next request.
            let other = APIKey(name: "three", role: .reader, at: TestBackend.opening, system: .real)
            server.backend.admit(other.record)
            for _ in 0..<2 { _ = try talk.ask(Self.list, other.text) }
            var promoted = other.record
            promoted.role = Role.editor.rawValue
            server.backend.admit(promoted)
            #expect(try talk.ask(Self.list, other.text).text.contains("Secret plan"))
        }
    }

    @Test func `a change is seen by the next request of a reader`() async throws {
        try await TestBackend.run { server in
            let talk = try PersistentClient(server)
            let key = server.keys.texts[.reader]
            for number in 0..<5 {
                _ = try talk.ask(Self.article, key)
                let changed = try server.send(
                    "PATCH \(Self.article)", as: .editor, #"{"title":"Bread \#(number)"}"#)
                #expect(changed.summary == "200")
                #expect(try talk.ask(Self.article, key).text.contains("Bread \(number)"))
            }
        }
    }
}
