import ArticleAPI
import ArticleSearch
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

@testable import ArticleResources
@testable import ArticleServiceCore
@testable import ArticleServices

/// The pages of a search and their cursors.
@Suite struct SearchPageTests {
    /// Articles with a common word, with ids in the order of their creation.
    private func fill(_ server: TestBackend, _ count: Int) throws -> [String] {
        try (0..<count).map { number in
            server.pass(milliseconds: 7_001)
            let words = number % 3 == 0 ? "bread bread bread" : "bread and other words"
            return try server.publish("Number \(number)", #","body":"\#(words)""#)
        }
    }

    private func walk(_ server: TestBackend, limit: Int) throws -> [String] {
        var titles: [String] = []
        var request = SearchArticlesRequest(query: "bread", limit: limit)
        for _ in 0..<100 {
            let page = try server.search(request)
            #expect(page.items.count <= limit)
            titles += page.items.map(\.article.title)
            guard let next = page.next else { return titles }
            request.cursor = next
        }
        throw TestFailure("the pages do not end")
    }

    @Test func `pages of any size have the same articles in the same order`() async throws {
        try await TestBackend.run(samples: false) { server in
            _ = try fill(server, 12)
            try await server.waitUntilIndexed()
            let all = try walk(server, limit: 100)
            #expect(Set(all).count == 12)
            for limit in [1, 3, 4, 11, 12] { #expect(try walk(server, limit: limit) == all) }
            let first = try server.send("GET /v1/search?q=bread&limit=5")
            let link = try #require(first.nextTarget)
            #expect(link.hasPrefix("/v1/search?q=bread&limit=5&cursor="))
            let second = try SearchPage<Article>(mapping: server.send("GET \(link)").body)
            #expect(second.items.map(\.article.title) == Array(all[5..<10]))
        }
    }

    @Test func `the link to the next page has the encoded query, however it was written`()
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            _ = try fill(server, 3)
            try await server.waitUntilIndexed()
            for query in ["\"bread\"", "%22bread%22"] {
                let first = try server.send("GET /v1/search?q=\(query)&limit=1")
                let link = try #require(first.nextTarget)
                #expect(link.hasPrefix("/v1/search?q=%22bread%22&limit=1&cursor="))
            }
        }
    }

    @Test func `a cursor belongs to its query and filter`() async throws {
        try await TestBackend.run(samples: false) { server in
            _ = try fill(server, 3)
            try await server.waitUntilIndexed()
            let request = SearchArticlesRequest(query: "bread", limit: 1)
            let next = try #require(try server.search(request).next)
            var other = request
            other.cursor = next
            for change: (inout SearchArticlesRequest) -> Void in [
                { $0.query = "words" }, { $0.tags = ["a"] }, { $0.language = "en" },
                { $0.cursor = String(next.dropLast()) },
                { $0.cursor = String(next.reversed()) },
            ] {
                var changed = other
                change(&changed)
                let response = try server.send("GET \(RequestPrinter.target(of: changed))")
                #expect(response.summary == "400 malformed-request ?cursor")
            }
            // The size of the page and the attributes are not part of it, nor is the sender.
            other.limit = 2
            other.fields = FieldSelection(["title"])
            let page = try server.send(
                "GET \(RequestPrinter.target(of: other))", as: .editor)
            #expect(page.summary == "200")
            let lists = try server.send("GET /v1/articles?cursor=\(next)")
            #expect(lists.summary == "400 malformed-request ?cursor")
        }
    }

    @Test func `a page reads a bounded number of articles, and the next one goes on`()
        async throws
    {
        try await TestBackend.run(samples: false, indexes: false) { server in
            let paths = try fill(server, SearchRun.limitExamined + 3)
            try await server.indexOnce()
            let all = try server.search(SearchArticlesRequest(query: "bread", limit: 100))
            #expect(all.items.count == 100 && all.next != nil)
            let order = try walk(server, limit: 100)
            #expect(order.count == paths.count)
            // All but the last one are hidden, which the index does not know.
            let last = try #require(order.last)
            for (number, path) in paths.enumerated() where "Number \(number)" != last {
                try server.send("DELETE \(path)", as: .editor)
            }
            var request = SearchArticlesRequest(query: "bread")
            let short = try server.search(request)
            #expect(short.items.isEmpty)
            let cursor = try #require(short.next)
            request.cursor = cursor
            let rest = try server.search(request)
            #expect(rest.items.map(\.article.title) == [last] && rest.next == nil)
        }
    }

    @Test func `a query that finds nothing is corrected, on all of its pages`() async throws {
        try await TestBackend.run(samples: false) { server in
            for number in 0..<3 { try server.publish("Sourdough \(number)") }
            try server.publish("Rye")
            try await server.waitUntilIndexed()
            var request = SearchArticlesRequest(query: "sourdogh", limit: 2)
            let first = try server.search(request)
            #expect(first.correctedTo == "sourdough")
            #expect(first.items.count == 2)
            let cursor = try #require(first.next)
            request.cursor = cursor
            let second = try server.search(request)
            #expect(second.correctedTo == "sourdough")
            #expect(second.items.count == 1 && second.next == nil)
            let titles = (first.items + second.items).map(\.article.title)
            #expect(Set(titles).count == 3)
            // Another word of the query is as it should be, or too far from everything.
            let both = try server.search(SearchArticlesRequest(query: "sourdogh 1"))
            #expect(both.items.map(\.article.title) == ["Sourdough 1"])
            for query in ["sourdogh rye", "sourdogh qqqqqq", "qqqqqq"] {
                let none = try server.search(SearchArticlesRequest(query: query))
                #expect(none == SearchPage(items: []), "\(query)")
            }
        }
    }

    @Test func `a cursor is within the contract's limit, whatever was corrected`() throws {
        let sealer = CursorSealer(secret: [UInt8](repeating: 7, count: 32))
        let position = SearchPosition(
            score: .max, published: .min, id: Article.ID(at: TestBackend.opening))
        let word = [UInt8](repeating: 0x61, count: 62)
        let corrections = (0..<4).map { SearchCursor.Correction(clause: $0, word: word) }
        #expect(SearchCursor.fits(corrections) && !SearchCursor.fits(corrections + corrections))
        for corrected in [[], Array(corrections.prefix(1)), corrections] {
            let cursor = SearchCursor(position: position, corrections: corrected)
            let text = sealer.seal(cursor, in: "list")
            #expect(text.count <= 500 && text.count == (corrected.isEmpty ? 64 : 406))
            let opened: SearchCursor = try sealer.open(text, in: "list")
            #expect(opened == cursor)
        }
    }
}
