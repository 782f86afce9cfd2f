import ArticleAPI
import Testing

/// Lists of which some items cannot be decoded.
struct LenientTests {
    private func map<Item: ResponseItem>(_ type: Item.Type, _ text: String) throws -> Item {
        try ResponseMapper<Item>().map(Array(text.utf8))
    }

    private let good = #"{"key":"a","name":"A"}"#

    @Test func `the bad items of an array are left out and reported`() throws {
        let lenient = try map(Lenient<[ArticleTag]>.self, "[\(good),{\"key\":\"b\"},7,\(good)]")
        #expect(lenient.value.map(\.key) == ["a", "a"])
        #expect(
            lenient.leftOut == [
                .missingAttribute(name: "name", path: "$[1].name"),
                .invalid(path: "$[2]", expected: "an object", found: "a number"),
            ])
    }

    @Test func `a page keeps its cursor and its good items`() throws {
        let page = try map(
            Lenient<Page<ArticleTag>>.self, #"{"items":[{"key":"b","name":7},\#(good)],"next":"c"}"#
        )
        #expect(page.value == Page(items: [ArticleTag(key: "a", name: "A")], next: "c"))
        #expect(
            page.leftOut.map { "\($0)" } == [
                "$.items[0].name: expected a single line of text, found a number"
            ])
    }

    @Test func `more bad items than a reader reports faults`() throws {
        let text = "[" + String(repeating: "0,", count: 300) + "\(good)]"
        let lenient = try map(Lenient<[ArticleTag]>.self, text)
        #expect(lenient.value.count == 1 && lenient.leftOut.count == 300)
    }

    @Test func `an item is complete or left out`() throws {
        var article = Samples.article
        article.tags = [ArticleTag(key: "a", name: "A"), ArticleTag(key: "b", name: "B")]
        let text = String(decoding: Page(items: [article, Samples.bare]).json(), as: UTF8.self)
        let broken = text.replacing(#""key":"b""#, with: #""key":false"#)
        #expect(broken != text)
        let page = try map(Lenient<Page<Article>>.self, broken)
        #expect(page.value.items.map(\.id) == [Samples.bare.id])
        guard case .invalid(let path, _, _)? = page.leftOut.first else {
            Issue.record("\(page.leftOut)")
            return
        }
        #expect(path == "$.items[0].tags[1].key" && page.leftOut.count == 1)
    }

    @Test func `what is no list is an error`() {
        for text in [#"{"next":"c"}"#, "[]", "{", #"{"items":7}"#, #"{"items":[],"next":7}"#] {
            #expect(throws: ResponseMapperError.self, "\(text)") {
                try map(Lenient<Page<ArticleTag>>.self, text)
            }
        }
    }

    @Test func `a complete list is the same as without leniency`() throws {
        let bytes = Page(items: [Samples.article, Samples.bare], next: "c").json()
        let lenient = try ResponseMapper<Lenient<Page<Article>>>().map(bytes)
        #expect(lenient == Lenient(try Page<Article>(mapping: bytes)))
        #expect(Lenient<Page<Article>>.encoding.write(lenient) == bytes)
        #expect(Lenient<Page<Article>>.encoding.mediaType == "application/json")
    }

    @Test func `a request of the contract is made lenient`() throws {
        let whole = FetchArticlesRequest(tag: "a", limit: 3)
        let request = Lenient.Request(whole)
        #expect(RequestPrinter.target(of: request) == RequestPrinter.target(of: whole))
        let printed = RequestPrinter.print(request)
        #expect(printed == RequestPrinter.print(whole))
        let source = try #require(RequestSource(printed, for: type(of: request).endpoint))
        #expect(try Lenient<Page<Article>>.Request(parsing: source) == request)
    }
}
