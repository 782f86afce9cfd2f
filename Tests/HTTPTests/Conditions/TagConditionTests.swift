import HTTP
import Testing

@Suite struct TagConditionTests {
    @Test(arguments: ["*", " * ", "\t*"])
    func `a star is any`(text: String) {
        #expect(TagCondition(text) == .any)
    }

    @Test(arguments: [
        ("\"a\"", ["\"a\""]), (" \"a\" ", ["\"a\""]), ("W/\"a\"", ["W/\"a\""]),
        ("\"a\",\"b\"", ["\"a\"", "\"b\""]), ("\"a\" ,\t W/\"b\"", ["\"a\"", "W/\"b\""]),
        (",\"a\",, \"b\",", ["\"a\"", "\"b\""]), ("\"a,b\"", ["\"a,b\""]), ("\"*\"", ["\"*\""]),
        ("\"\"", ["\"\""]), ("\"\u{301}\", \"b\"", ["\"\u{301}\"", "\"b\""]),
    ])
    func `a list of tags is read`(text: String, tags: [String]) throws {
        let expected = try tags.map { try #require(EntityTag($0)) }
        #expect(TagCondition(text) == .tags(expected))
    }

    @Test(arguments: [
        "", " ", ",", "a", "**", "*, \"a\"", "\"a\", *", "\"a\" \"b\"", "\"a\"\"b\"", "\"a\", b",
        "\"a", "w/\"a\"", "\"a\";x", "\"a b\"",
    ])
    func `what is no condition is not read`(text: String) {
        #expect(TagCondition(text) == nil)
    }

    @Test func `a condition is written as it is read`() {
        #expect(TagCondition("*")?.description == "*")
        #expect(TagCondition("\"a\",W/\"b\"")?.description == "\"a\", W/\"b\"")
    }

    @Test func `a condition has at most so many tags`() {
        func list(_ count: Int) -> String {
            (0..<count).map { "\"\($0)\"" }.joined(separator: ",")
        }
        #expect(TagCondition(list(TagCondition.limit)) != nil)
        #expect(TagCondition(list(TagCondition.limit + 1)) == nil)
    }
}
