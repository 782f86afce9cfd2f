import ArticleAPI
import Testing

/// Text as it is kept (UAX #15).
@Suite struct NormalFormTests {
    @Test func `normalization composes text and is idempotent`() {
        for (text, expected) in [
            ("e\u{301}", "\u{E9}"), ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"), ("abc", "abc"),
            ("a\u{338}\u{323}", "\u{1EA1}\u{338}"), ("\u{212B}", "\u{C5}"),
        ] {
            #expect(text.inNFC.utf8.elementsEqual(expected.utf8))
            #expect(text.inNFC.inNFC.utf8.elementsEqual(expected.utf8))
        }
    }

    /// Returns the length of the longest run of combining marks.
    private static func longestRun(_ text: String) -> Int {
        var (run, longest) = (0, 0)
        for scalar in text.unicodeScalars {
            let isMark = scalar.properties.canonicalCombiningClass != .notReordered
            run = isMark ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }

    @Test(arguments: [
        "\u{338}\u{323}", "\u{344}", "\u{F73}", "\u{F75}\u{F81}", "\u{302A}\u{5B0}",
    ])
    func `long runs of marks are split once`(marks: String) {
        // Unparted, a hundred thousand marks would take seconds, and more of them minutes.
        let text = "a" + String(repeating: marks, count: 50_000)
        let normal = text.inNFC
        #expect(Self.longestRun(normal) <= 30)
        #expect(normal.inNFC.utf8.elementsEqual(normal.utf8))
        let few = "a" + String(repeating: marks, count: 7)
        #expect(few.inNFC.utf8.elementsEqual(few.inNFC.inNFC.utf8))
        #expect(!few.inNFC.unicodeScalars.contains("\u{34F}"))
    }

    @Test func `JSON values and names have no long runs of marks`() throws {
        let marks = String(repeating: "\u{338}\u{323}", count: 100_000)
        let escapes = String(repeating: "\\u0338\\u0323", count: 50_000)
        let text = #"{"a\#(marks)": "b\#(marks)", "c\#(escapes)": "d\#(escapes)"}"#
        guard case .object(let members) = try JSONParser.parse(Array(text.utf8)) else {
            Issue.record("no object")
            return
        }
        #expect(members.count == 2)
        for member in members {
            #expect(Self.longestRun(member.name) <= 30)
            guard case .string(let value) = member.value else { continue }
            #expect(Self.longestRun(value) <= 30 && value.unicodeScalars.count > 100_000)
        }
    }
}
