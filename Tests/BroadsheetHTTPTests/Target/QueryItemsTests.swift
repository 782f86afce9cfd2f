import BroadsheetHTTP
import Testing

@Suite struct QueryItemsTests {
    @Test(
        arguments: [
            ("", []), ("a=1", [["a", "1"]]), ("a=", [["a", ""]]),
            ("a=1&b=2&a=3", [["a", "1"], ["b", "2"], ["a", "3"]]),
            ("a=b=c", [["a", "b=c"]]), ("a+b=c+d", [["a b", "c d"]]),
            ("a=%2B%26%3D", [["a", "+&="]]),
            ("%61=%EA%B8%80", [["a", "글"]]), ("a=1;b=2", [["a", "1;b=2"]]),
            ("a[]=1", [["a[]", "1"]]),
        ] as [(String, [[String]])])
    func `a query is parsed in order`(query: String, items: [[String]]) throws {
        #expect(try QueryItems(parsing: query.utf8).items.map { [$0.name, $0.value] } == items)
    }

    @Test(
        arguments: [
            ("a", .noValue(name: "a")), ("a=1&b", .noValue(name: "b")),
            ("=1", .noName(position: 1)),
            ("a=1&", .noName(position: 2)), ("&a=1", .noName(position: 1)),
            ("a=1&&b=2", .noName(position: 2)), ("a=%", .encoding(position: 1, .badEscape)),
            ("a=1&%zz=2", .encoding(position: 2, .badEscape)),
            ("a=%00", .encoding(position: 1, .nul)),
            ("a=%FF", .encoding(position: 1, .invalidUTF8)),
        ] as [(String, QueryItems.ParsingError)])
    func `an invalid query is rejected with the position`(
        query: String, error: QueryItems.ParsingError
    ) {
        #expect(throws: error) { try QueryItems(parsing: query.utf8) }
    }

    @Test func `the number of items in a query is limited`() throws {
        func query(_ count: Int) -> String {
            (0..<count).map { "a=\($0)" }.joined(separator: "&")
        }
        #expect(
            try QueryItems(parsing: query(QueryItems.limit).utf8).items.count == QueryItems.limit)
        #expect(throws: QueryItems.ParsingError.tooMany(limit: QueryItems.limit)) {
            try QueryItems(parsing: query(QueryItems.limit + 1).utf8)
        }
    }

    @Test func `a printed query is parsed again`() throws {
        let items = QueryItems([
            QueryItems.Item("a b", "c+d"), QueryItems.Item("글", ""), QueryItems.Item("&=?/", "&=%"),
            QueryItems.Item("a b", "\r\n\u{7F}"),
        ])
        #expect(items.encoded.hasPrefix("a%20b=c%2Bd&"))
        #expect(try QueryItems(parsing: items.encoded.utf8) == items)
        #expect(items.values(of: "a b") == ["c+d", "\r\n\u{7F}"])
    }
}
