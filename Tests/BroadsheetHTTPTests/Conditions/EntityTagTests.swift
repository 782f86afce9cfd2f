import BroadsheetHTTP
import Testing

@Suite struct EntityTagTests {
    @Test(arguments: [
        ("\"a\"", "a", false), ("W/\"a\"", "a", true), ("\"\"", "", false),
        ("\"12-0f\"", "12-0f", false), ("\"!#é\"", "!#é", false),
        ("\"\u{301}x\"", "\u{301}x", false),
    ])
    func `a tag round-trips`(text: String, value: String, isWeak: Bool) throws {
        let tag = try #require(EntityTag(text))
        #expect(tag.value == value)
        #expect(tag.isWeak == isWeak)
        #expect(tag.description == text)
        #expect(EntityTag(value: value, isWeak: isWeak) == tag)
    }

    @Test(arguments: [
        "", "a", "\"", "\"a", "a\"", "w/\"a\"", "W\"a\"", "W/a", "W/ \"a\"", "\"a\"b", "\"a b\"",
        "\"a\"\"", "\"a\tb\"", "\"a\u{7F}\"", " \"a\"", "\"a\" ", "\"a\",", "*",
    ])
    func `an invalid tag is rejected`(text: String) {
        #expect(EntityTag(text) == nil)
    }

    @Test func `a tag must not contain quotes or control octets`() {
        #expect(EntityTag(value: "a\"b") == nil)
        #expect(EntityTag(value: "a\r\nb") == nil)
        #expect(EntityTag(value: "a b") == nil)
    }

    // The table of RFC 9110 §8.8.3.2.
    @Test(arguments: [
        ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false),
        ("W/\"1\"", "\"1\"", false, true), ("\"1\"", "\"1\"", true, true),
    ])
    func `tags are compared strongly and weakly`(
        left: String, right: String, strongly: Bool, weakly: Bool
    ) throws {
        let (left, right) = (try #require(EntityTag(left)), try #require(EntityTag(right)))
        #expect(left.stronglyMatches(right) == strongly)
        #expect(right.stronglyMatches(left) == strongly)
        #expect(left.weaklyMatches(right) == weakly)
        #expect(right.weaklyMatches(left) == weakly)
    }
}
