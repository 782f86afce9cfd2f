import ArticleAPI
import ArticleDatabase
import ArticleServiceCore
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// Hidden data does not show in any response to an anonymous client: neither in pages nor in the
/// links between them.
@Suite struct HiddenDataTests {
    private static let seeds = UInt64(1)...(Thoroughness.isFull ? 2 : 1)
    /// The lengths of pages.
    private static let limits = Thoroughness.isFull ? [1, 4] : [2]

    /// A mix of public and hidden articles, the same for each seed.
    private struct RandomArticles {
        /// Texts and bytes that must not be disclosed.
        private(set) var secrets: [(name: String, bytes: [UInt8])] = []
        private(set) var targets: [String] = []

        /// Fills the backend; without the hidden articles, the clock advances nevertheless.
        init(seed: UInt64, hasHidden: Bool, in server: TestBackend) throws {
            var random = SplitMix64(seed: seed)
            for number in 0..<3 {
                try server.send(
                    "PUT /v1/authors/\(Samples.id(0xB0 + number))", as: .editor,
                    #"{"name":"Author \#(number)"}"#)
            }
            for number in 0..<36 {
                server.pass(milliseconds: 7_001)
                let kind = random.next() % 6
                let tags = ["a", "m", "z"].filter { _ in random.next() % 2 == 0 }
                let author = Samples.id(0xB0 + Int(random.next() % 3))
                let day = "2026-0\(1 + random.next() % 6)-1\(random.next() % 10)"
                if kind < 3 {
                    try Self.publish(number, tags: tags, author: author, day: day, in: server)
                } else if hasHidden {
                    try hide(number, Int(kind) - 3 + Int(random.next() % 2), tags, in: server)
                } else {
                    _ = random.next()
                }
            }
            makeTargets()
        }

        private static func publish(
            _ number: Int, tags: [String], author: String, day: String, in server: TestBackend
        ) throws {
            let names = (tags + ["public\(number)"]).map { "\"\($0)\"" }.joined(separator: ",")
            let made = try server.send(
                "POST /v1/articles", as: .editor,
                """
                {"id":"\(Samples.id(0x300 + number))","title":"Public \(number)","tags":[\(names)],\
                "authors":[{"id":"\(author)"}],"source":{"name":"Wire"},"status":"published",\
                "publishedAt":"\(day)T00:00:\(10 + number)Z"}
                """)
            #expect(made.summary == "201", "\(made.text)")
        }

        /// A draft, a scheduled, an archived or a deleted article, with its own tag and author, and
        /// tags of public ones.
        private mutating func hide(
            _ number: Int, _ kind: Int, _ tags: [String], in server: TestBackend
        ) throws {
            let author = Samples.id(0x900 + number)
            try server.send(
                "PUT /v1/authors/\(author)", as: .editor, #"{"name":"Veiled \#(number)"}"#)
            let (status, year) = [
                ("draft", 2026), ("scheduled", 2028), ("archived", 2025), ("published", 2026),
            ][kind]
            let time = "\(year)-0\(1 + number % 9)-2\(number % 8)T05:06:07.\(100 + number)Z"
            let letter = ["b", "n", "y"][number % 3]
            let names = (tags + ["\(letter)-covert-\(number)"]).map { "\"\($0)\"" }
            let id = Samples.id(0x500 + number)
            let made = try server.send(
                "POST /v1/articles", as: .editor,
                """
                {"id":"\(id)","title":"Concealed \(number)","authors":[{"id":"\(author)"}],\
                "tags":[\(names.joined(separator: ","))],"source":{"name":"Wire"},\
                "status":"\(status)","publishedAt":"\(time)"}
                """)
            #expect(made.summary == "201", "\(made.text)")
            let article = try Article(mapping: made.body)
            if kind == 3 { try server.send("DELETE /v1/articles/\(id)", as: .editor) }
            for text in [id, author, "covert-\(number)", "concealed-\(number)"] {
                secrets.append((text, Array(text.utf8)))
            }
            for text in ["Veiled \(number)", "Concealed \(number)", time] {
                secrets.append((text, Array(text.utf8)))
            }
            for name in [id, author] {
                let id = try #require(Article.ID(name))
                secrets.append((name, Self.bytes(id.high) + Self.bytes(id.low)))
            }
            for time in [article.publishedAt, article.createdAt] {
                let time = try #require(time)
                secrets.append((time.description, Array(time.description.utf8)))
                secrets.append((time.description, Self.bytes(UInt64(time.milliseconds))))
                secrets.append((time.description, Array("\(time.milliseconds)".utf8)))
            }
        }

        private static func bytes(_ word: UInt64) -> [UInt8] {
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
        }

        private mutating func makeTargets() {
            let filters = [
                "", "&tag=a", "&tag=a&tag=z", "&author=\(Samples.id(0xB1))", "&language=en",
                "&source=Wire", "&status=published", "&status=draft",
                "&publishedAfter=2026-02-01T00:00:00Z", "&publishedBefore=2026-05-01T00:00:00Z",
            ]
            let sorts = ["publishedAt", "createdAt", "updatedAt"].flatMap { [$0, "-" + $0] }
            for sort in sorts {
                for filter in filters {
                    for limit in HiddenDataTests.limits {
                        targets.append("/v1/articles?limit=\(limit)&sort=\(sort)\(filter)")
                    }
                }
            }
            for words in ["public", "author", "public%207", "concealed", "%22public%2030%22"] {
                for filter in ["", "&tag=a", "&author=\(Samples.id(0xB1))"] {
                    targets.append("/v1/search?q=\(words)&limit=3\(filter)")
                }
            }
            for list in ["tags", "authors"] {
                for limit in [1, 2, 5] { targets.append("/v1/\(list)?limit=\(limit)") }
            }
        }

        /// Expects that a response discloses nothing, including the bytes of its cursors.
        func check(_ response: BackendResponse, _ target: String) {
            var seen =
                response.fields.all.map { "\($0.name): \($0.value)" }.joined().utf8 + response.body
            for text in [response.text, response.nextTarget ?? ""] {
                // Anything that could be base64url, starting at any of its letters.
                for word in text.utf8.split(whereSeparator: { !Self.isLetter($0) })
                where word.count >= 12 {
                    for start in 0..<4 {
                        var word = Substring(word).dropFirst(start)
                        while !word.isEmpty, ByteText.bytes(base64URL: String(word)) == nil {
                            word.removeLast()
                        }
                        seen += ByteText.bytes(base64URL: String(word)) ?? []
                    }
                }
            }
            let bytes = Array(seen)
            let shown = secrets.filter { bytes.contains($0.bytes) }
            #expect(shown.isEmpty, "\(shown.map(\.name)) show in \(target)")
        }

        private static func isLetter(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }

    /// The pages of each list as seen by an anonymous client.
    private func walk(
        _ mixture: RandomArticles, in server: TestBackend
    ) async throws -> [[String]] {
        try await server.waitUntilIndexed()
        return try mixture.targets.map { first in
            var pages: [String] = []
            var target: String? = first
            while let next = target {
                let response = try server.send("GET \(next)")
                #expect(response.summary == "200", "\(next): \(response.text)")
                mixture.check(response, next)
                pages.append(response.unversioned.replacing(/,"next":"[^"]*"/, with: ""))
                target = response.nextTarget
                #expect(pages.count < 200)
            }
            return pages
        }
    }

    @Test(arguments: seeds)
    func `pages are the same with and without hidden articles`(seed: UInt64) async throws {
        var pages: [[[String]]] = []
        var secrets = 0
        for hasHidden in [true, false] {
            try await TestBackend.run(samples: false) { server in
                let mixture = try RandomArticles(seed: seed, hasHidden: hasHidden, in: server)
                secrets += mixture.secrets.count
                pages.append(try await walk(mixture, in: server))
            }
        }
        #expect(secrets > 100)
        #expect(pages[0].joined().count > (Thoroughness.isFull ? 500 : 200))
        for (with, without) in zip(pages[0], pages[1]) { #expect(with == without) }
    }

    @Test func `a page that ends at the scan limit does not disclose where it ended`()
        async throws
    {
        var configuration = SQLiteConfiguration()
        configuration.examinedRowsPerPage = 4
        var items: [[String]] = []
        for hasHidden in [true, false] {
            try await TestBackend.run(samples: false, storeConfiguration: configuration) { server in
                let mixture = try RandomArticles(seed: 3, hasHidden: hasHidden, in: server)
                // The pages may end at different articles here, but their union must be the same.
                items.append(
                    try await walk(mixture, in: server).map { pages in
                        pages.map { $0.dropFirst(#"{"items":["#.count).dropLast(2) }
                            .filter { !$0.isEmpty }.joined(separator: ",")
                    })
            }
        }
        for (with, without) in zip(items[0], items[1]) { #expect(with == without) }
    }

    @Test func `cursors of a list have equal lengths, and a position has one cursor`() async throws
    {
        try await TestBackend.run(samples: false) { server in
            let names = ["a", "bb", String(repeating: "\u{1FB7}", count: 64), "zz"]
            for name in names {
                let made = try server.send(
                    "POST /v1/articles", as: .editor,
                    #"{"title":"T","status":"published","tags":["\#(name)"]}"#)
                #expect(made.summary == "201", "\(made.text)")
            }
            var cursors: [String] = []
            var target = "/v1/tags?limit=1"
            while true {
                let page = try Page<ArticleTag.Usage>(
                    mapping: server.send("GET \(target)").body)
                let again = try Page<ArticleTag.Usage>(
                    mapping: server.send("GET \(target)", as: .reader).body)
                #expect(page.next == again.next && page.items.count == 1)
                guard let next = page.next else { break }
                cursors.append(next)
                target = "/v1/tags?limit=1&cursor=\(next)"
            }
            #expect(cursors.count == 3 && Set(cursors.map(\.count)).count == 1)
        }
    }

    @Test func `histories disclose nothing to clients that may not read them`() async throws {
        try await TestBackend.run { server in
            let responses = try [Samples.secret, Samples.gone, Samples.tomorrow, Samples.nobody].map
            { id in
                try server.send("GET /v1/articles/\(id)/revisions?limit=1").summary
            }
            #expect(Set(responses) == ["401 unauthenticated"])
        }
    }

    @Test func `a public article is not found by the slugs of its draft`() async throws {
        try await TestBackend.run(samples: false) { server in
            let made = try server.send(
                "POST /v1/articles", as: .editor, #"{"title":"Takeover of Acme"}"#)
            let path = "/v1/articles/\(try Article(mapping: made.body).id)"
            func patch(_ json: String) throws {
                let response = try server.send("PATCH \(path)", as: .editor, json)
                #expect(response.summary == "200", "\(response.text)")
            }
            func summaries(_ slug: String) throws -> [String] {
                try [Sender.anonymous, .reader, .editor].map {
                    try server.send("GET /v1/articles/\(slug)", as: $0).summary
                }
            }
            let hidden = ["404 not-found", "404 not-found", "200"]
            let shown = ["200", "200", "200"]
            try patch(
                #"{"slug":"waiting","status":"scheduled","publishedAt":"2027-01-15T09:00:00Z"}"#)
            try patch(#"{"slug":"in-time"}"#)
            server.pass(milliseconds: 3_600_001)
            await server.publishDueArticles()
            #expect(try summaries("in-time") == shown)
            try patch(#"{"slug":"later"}"#)
            #expect(try summaries("takeover-of-acme") == hidden)
            #expect(try summaries("waiting") == hidden)
            #expect(try summaries("in-time") == shown)
            #expect(try summaries("later") == shown)
            // After archiving and republishing, the former slug is still known.
            try patch(#"{"status":"archived","slug":"shelved"}"#)
            try patch(#"{"status":"published","slug":"again"}"#)
            #expect(try summaries("shelved") == hidden)
            for slug in ["in-time", "later", "again"] { #expect(try summaries(slug) == shown) }
            #expect(try summaries("takeover-of-acme") == hidden)
        }
    }
}

extension [UInt8] {
    /// Returns true if these contain the bytes consecutively.
    fileprivate func contains(_ bytes: [UInt8]) -> Bool {
        withUnsafeBytes { all in
            var start = 0
            // Invariant: the bytes do not begin before `start`.
            while bytes.count > 0, start + bytes.count <= all.count,
                let base = all.baseAddress,
                let first = memchr(base + start, Int32(bytes[0]), all.count - start)
            {
                let found = base.distance(to: UnsafeRawPointer(first))
                guard found + bytes.count <= all.count else { return false }
                if memcmp(first, bytes, bytes.count) == 0 { return true }
                start = found + 1
            }
            return false
        }
    }
}
