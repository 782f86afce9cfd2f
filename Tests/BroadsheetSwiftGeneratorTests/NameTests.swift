import Testing

@testable import BroadsheetSwiftGenerator

/// Names, literals and comments that are made from untrusted text.
@Suite struct NameTests {
    @Test(arguments: [
        ("user_id", "userID"), ("userId", "userID"), ("UserID", "userID"), ("HTMLBody", "htmlBody"),
        ("html_url", "htmlURL"), ("2nd", "value2nd"), ("", "value"), ("  ", "value"),
        ("größe", "grosse"), ("이름", "ireum"), ("中文", "u4e2dU6587"), ("e\u{301}té", "ete"),
        ("😀", "grinningFace"), ("class", "class"), ("self", "selfValue"), ("don't", "dont"),
        ("hashValue", "hashValueValue"), ("a*/b", "aB"),
        ("\u{202E}\u{2028}", "righttoleftOverride"),
    ])
    func `a property's name is in lower camel case`(text: String, name: String) {
        #expect(SwiftName.property(text) == name)
    }

    @Test(arguments: [
        ("wind_speed", "WindSpeed"), ("type", "TypeValue"), ("Self", "SelfValue"),
        ("optional", "OptionalValue"), ("3d", "Value3d"), ("urls", "URLs"),
        ("pet-store", "PetStore"),
    ])
    func `a type's name is in upper camel case`(text: String, name: String) {
        #expect(SwiftName.type(text) == name)
    }

    @Test(arguments: [
        ("entries", "Entry"), ("boxes", "Box"), ("addresses", "Address"), ("status", "Status"),
        ("series", "Series"), ("data", "Datum"), ("people", "Person"), ("hourly", "Hourly"),
        ("analysis", "Analysis"), ("matches", "Match"),
    ])
    func `items have the singular of their array's name`(text: String, name: String) {
        #expect(SwiftName.singularType(text) == name)
    }

    @Test func `names are short and unique`() {
        var scope = NameScope()
        let long = String(repeating: "wordy_", count: 20)
        let names = (0..<12).map { _ in scope.claim(SwiftName.property(long)) }
        #expect(Set(names).count == 12)
        #expect(names.allSatisfy { $0.utf8.count <= SwiftName.limit })
        #expect(names[1].hasSuffix("2") && names[11].hasSuffix("12"))
    }

    @Test func `a literal is one line, and cannot be left`() {
        #expect(SwiftLiteral.of("a\"b\\(c)\n") == #""a\"b\\(c)\n""#)
        #expect(SwiftLiteral.of("\u{2028}\u{202E}\u{0}") == #""\u{2028}\u{202E}\u{0}""#)
        // A combining mark would join the quotation mark.
        #expect(SwiftLiteral.of("\u{301}") == #""\u{301}""#)
        #expect(SwiftLiteral.of("이름 é") == #""이름 é""#)
        #expect(SwiftLiteral.fitting(String(repeating: "a", count: 69)) == nil)
    }

    @Test func `a comment's lines contain nothing that ends them`() {
        let text = "One */ two\r\nthree\u{2028}four\u{85}five \u{202E}six\u{0}seven"
        let lines = CommentText.lines(text, columns: 20)
        #expect(lines == ["One */ two three", "four five ·six seven"])
        let word = String(repeating: "x", count: 50)
        #expect(CommentText.lines(word, columns: 20).map(\.count) == [20, 20, 10])
        #expect(CommentText.lines(String(repeating: "a b ", count: 999), columns: 20).count == 12)
    }
}
