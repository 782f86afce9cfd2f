import BroadsheetHTTP
import Testing

@Suite struct TagConditionTests {
    @Test(arguments: ["*", " * ", "\t*"])
    func `an asterisk matches any tag`(text: String) {
        #expect(TagCondition(text) == .any)
    }

    @Test(arguments: [
        ("\"a\"", ["\"a\""]), (" \"a\" ", ["\"a\""]), ("W/\"a\"", ["W/\"a\""]),
        ("\"a\",\"b\"", ["\"a\"", "\"b\""]), ("\"a\" ,\t W/\"b\"", ["\"a\"", "W/\"b\""]),
        (",\"a\",, \"b\",", ["\"a\"", "\"b\""]), ("\"a,b\"", ["\"a,b\""]), ("\"*\"", ["\"*\""]),
        ("\"\"", ["\"\""]), ("\"\u{301}\", \"b\"", ["\"\u{301}\"", "\"b\""]),
    ])
    func `a list of tags is parsed`(text: String, tags: [String]) throws {
        let expected = try tags.map { try #require(EntityTag($0)) }
        #expect(TagCondition(text) == .tags(expected))
    }

    @Test(arguments: [
        "", " ", ",", "a", "**", "*, \"a\"", "\"a\", *", "\"a\" \"b\"", "\"a\"\"b\"", "\"a\", b",
        "\"a", "w/\"a\"", "\"a\";x", "\"a b\"",
    ])
    func `an invalid condition is rejected`(text: String) {
        #expect(TagCondition(text) == nil)
    }

    @Test func `a condition round-trips`() {
        #expect(TagCondition("*")?.description == "*")
        #expect(TagCondition("\"a\",W/\"b\"")?.description == "\"a\", W/\"b\"")
    }

    @Test func `the number of tags in a condition is limited`() {
        func list(_ count: Int) -> String {
            (0..<count).map { "\"\($0)\"" }.joined(separator: ",")
        }
        #expect(TagCondition(list(TagCondition.limit)) != nil)
        #expect(TagCondition(list(TagCondition.limit + 1)) == nil)
    }
}
