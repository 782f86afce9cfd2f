import ArticleAPI
import ArticleDatabase
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetResources
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Testing

@testable import ArticleOperations
@testable import ArticleServices

/// The page of the console and its files.
@Suite struct ConsolePageTests {
    private static let browser: HTTPFields = [
        .accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    ]
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; "
        + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
        + "require-trusted-types-for 'script'; trusted-types broadsheet"

    /// The names of all files, except that of the page.
    private static var names: [String] {
        let table = broadsheet_console()
        return UnsafeBufferPointer(start: table.first, count: table.count)
            .map { String(cString: $0.name) }.filter { $0 != "index.html" }
    }

    @Test func `browsers get the page, and everyone else an index of links`() async throws {
        try await TestBackend.run(samples: false) { server in
            for (accept, isPage) in [
                (Self.browser[.accept], true), ("text/html", true),
                ("text/html, application/json", false), ("application/json", false),
                ("*/*", false), (nil, false), ("text/html;q=0, */*", false), ("image/png", false),
            ] as [(String?, Bool)] {
                var fields = HTTPFields()
                if let accept { fields[.accept] = accept }
                for _ in 0..<2 {
                    let response = try server.send("GET /", with: fields)
                    #expect(response.status == 200)
                    #expect(response.fields.list(.vary, has: "Accept"))
                    let type = isPage ? "text/html; charset=utf-8" : "application/json"
                    #expect(response.fields[.contentType] == type, "\(accept ?? "-")")
                }
            }
            let index = try server.send("GET /")
            #expect(index.text.contains(#""name":"Broadsheet""#))
            #expect(index.text.contains(#""articles":"/v1/articles""#))
            #expect(index.text.contains(#""console":"/console""#))
            let etag = try #require(index.fields[.etag])
            for (fields, summary) in [
                ([.ifNoneMatch: etag], "304"), ([.ifNoneMatch: "\"x\""], "200"),
                ([.ifMatch: "\"x\""], "412 precondition-failed @If-Match"),
            ] as [(HTTPFields, String)] {
                #expect(try server.send("GET /", with: fields).summary == summary)
            }
        }
    }

    @Test func `the page may load only its own files, and nobody may frame it`() async throws {
        try await TestBackend.run(samples: false) { server in
            for target in ["/", "/console", "/console?x=1"] {
                let page = try server.send("GET \(target)", with: Self.browser)
                #expect(page.status == 200)
                #expect(page.fields.values(of: .contentSecurityPolicy) == [Self.policy])
                #expect(page.fields[.crossOriginOpenerPolicy] == "same-origin")
                #expect(page.fields[.crossOriginResourcePolicy] == "same-origin")
                #expect(page.fields[.referrerPolicy] == "no-referrer")
                #expect(page.fields[.xContentTypeOptions] == "nosniff")
                #expect(page.fields[.permissionsPolicy]?.contains("camera=()") ?? false)
                #expect(page.fields[.cacheControl] == "public, no-cache")
                let etag = try #require(page.fields[.etag])
                var again = Self.browser
                again[.ifNoneMatch] = etag
                #expect(try server.send("GET \(target)", with: again).status == 304)
                #expect(!page.text.contains("/console/hash/"))
                for text in ["<style", "style=", "onclick", "javascript:"] {
                    #expect(!page.text.contains(text), "the policy forbids \(text)")
                }
                for match in page.text.matches(of: /<script([^>]*)>/) {
                    #expect(match.1.contains("src="), "the policy forbids scripts in the page")
                }
            }
        }
    }

    @Test func `files are kept for good under the hash of all of them`() async throws {
        try await TestBackend.run(samples: false) { server in
            let hash = ConsoleFiles().hash
            #expect(hash.wholeMatch(of: /[0-9a-f]{16}/) != nil)
            let page = try server.send("GET /console")
            #expect(page.text.contains("\"/console/\(hash)/"))
            let types = [
                "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
                "svg": "image/svg+xml",
            ]
            for name in Self.names {
                for _ in 0..<2 {
                    let file = try server.send("GET /console/\(hash)/\(name)")
                    #expect(file.status == 200, "\(name)")
                    let ending = name.split(separator: ".").last.map(String.init) ?? ""
                    #expect(file.fields[.contentType] == types[ending], "\(name)")
                    #expect(
                        file.fields[.cacheControl] == "public, max-age=31536000, immutable")
                    #expect(file.fields[.xContentTypeOptions] == "nosniff")
                    #expect(file.fields[.crossOriginResourcePolicy] == "same-origin")
                    let kept: HTTPFields = [.ifNoneMatch: try #require(file.fields[.etag])]
                    let again = try server.send("GET /console/\(hash)/\(name)", with: kept)
                    #expect(again.status == 304)
                }
                let old = try server.send("GET /console/0123456789abcdef/\(name)")
                #expect(old.summary == "404 not-found", "the page is of another version")
            }
            for target in [
                "/console/\(hash)/index.html", "/console/\(hash)/none.js", "/console/\(hash)",
                "/console/\(hash)/%2e%2e/main.js",
            ] {
                #expect(try server.send("GET \(target)").status >= 400, "\(target)")
            }
            #expect(try server.send("POST /console").status == 405)
        }
    }

    @Test func `a query does not fill the cache`() async throws {
        try await TestBackend.run(samples: false) { server in
            _ = try server.send("GET /console")
            let count = server.backend.cacheStatistics.responses
            for number in 0..<10 { _ = try server.send("GET /console?\(number)=") }
            #expect(server.backend.cacheStatistics.responses == count)
        }
    }

    @Test func `the whole page takes less than 200 KB`() async throws {
        try await TestBackend.run(samples: false) { server in
            let hash = ConsoleFiles().hash
            let paths = ["/console"] + Self.names.map { "/console/\(hash)/\($0)" }
            var bytes = 0
            for path in paths {
                let fields: HTTPFields = [.acceptEncoding: "gzip"]
                let response = try server.send("GET \(path)", with: fields)
                let isLarge = response.body.count > 1_024
                #expect(!isLarge || response.fields[.contentEncoding] == "gzip", "\(path)")
                bytes += response.body.count
            }
            #expect(bytes < 200_000)
        }
    }

    @Test func `the hash depends on the names and the contents of all files`() throws {
        let files = [("a.js", Array("1".utf8)), ("b.js", Array("2".utf8))]
        let hash = ConsoleFiles(files).hash
        #expect(ConsoleFiles(files).hash == hash)
        for other in [
            [("a.js", Array("1".utf8)), ("b.js", Array("3".utf8))],
            [("a.js", Array("1".utf8)), ("c.js", Array("2".utf8))],
            [("a.js", Array("1".utf8))], [("a.js", Array("12".utf8)), ("b.js", [])],
        ] {
            #expect(ConsoleFiles(other).hash != hash)
        }
        let page = Array(#"<script src="/console/hash/a.js">"#.utf8)
        let whole = ConsoleFiles([("index.html", page)] + files)
        guard case .bytes(let bytes) = whole.page.body else { throw TestFailure("no page") }
        let expected = #"<script src="/console/\#(whole.hash)/a.js">"#
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
        #expect(whole.file("index.html", hash: whole.hash) == nil)
    }

    @Test func `the console can be turned off`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.openNew(folder.file("store.db"))
        let backend = try await Backend(
            store: store, file: store, hasConsole: false, system: .clock { TestBackend.opening },
            log: { Issue.record("\($0)") })
        try await backend.run(with: .local()) { test in
            let index = try test.client.send(.get, "/", fields: Self.browser)
            #expect(index.fields[.contentType] == "application/json")
            #expect(!index.text.contains("console"))
            for target in ["/console", "/console/session", "/console/x/main.js"] {
                #expect(try test.client.get(target).status == 404)
            }
        }
        let request = HTTPRequest(
            .post, try #require(RequestTarget(path: "/v1/admin/console-links")))
        let response = try await backend.controlRouter().respond(to: request)
        #expect(response.status == .notFound)
        await store.close()
    }
}
