import ArticleAPI

/// The text of a date in parts: numbers, words and marks.
struct DateText {
    /// Those outside of parentheses.
    private(set) var tokens: [DateToken] = []
    /// Those of each pair of parentheses or brackets: a weekday, the name of a zone, or a comment
    /// (RFC 822 §3.4.3).
    private(set) var remarks: [[DateToken]] = []

    private var isApart = true
    private var depth = 0

    /// `nil` if parentheses are not closed.
    init?(_ text: String) {
        let scalars = Array(text.inNFC.lowercased().unicodeScalars)
        var index = 0
        // Invariant: the scalars before `index` are in `tokens` or `remarks`, or separate them.
        while index < scalars.count {
            let scalar = scalars[index]
            var end = index + 1
            switch scalar {
            case "(", "[", "（":
                depth += 1
                if depth == 1 { remarks.append([]) }
                isApart = true
            case ")", "]", "）":
                depth = max(0, depth - 1)
                isApart = true
            case _ where Self.isIgnored(scalar): break
            case _
            where Self.isGap(
                scalar, after: index > 0 ? scalars[index - 1] : nil,
                before: end < scalars.count ? scalars[end] : nil):
                isApart = true
            case _ where Self.isDigit(scalar):
                while end < scalars.count, Self.isDigit(scalars[end]) { end += 1 }
                append(.number(Self.text(scalars[index..<end])))
            case _ where Self.isLetter(scalar):
                if let unit = DateToken.Unit(scalar), index > 0, Self.isDigit(scalars[index - 1]) {
                    append(.unit(unit))
                } else {
                    while end < scalars.count, Self.isLetter(scalars[end]) { end += 1 }
                    append(.word(Self.text(scalars[index..<end])))
                }
            case "\u{2212}": append(.mark("-"))
            default: append(.mark(scalar))
            }
            index = end
        }
        guard depth == 0 else { return nil }
    }

    private mutating func append(_ kind: DateToken.Kind) {
        let token = DateToken(kind: kind, isApart: isApart)
        if depth > 0 {
            remarks[remarks.count - 1].append(token)
        } else {
            tokens.append(token)
        }
        isApart = false
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar == "_"
            || scalar.properties.generalCategory == .nonspacingMark
    }

    /// White space or a comma; one between digits may begin a fraction.
    private static func isGap(
        _ scalar: Unicode.Scalar, after previous: Unicode.Scalar?, before next: Unicode.Scalar?
    ) -> Bool {
        switch scalar {
        case ",": !(previous.map(isDigit) ?? false) || !(next.map(isDigit) ?? false)
        case "،", "、", "，": true
        default: scalar.properties.isWhitespace
        }
    }

    /// Marks for the direction of writing, and the byte order mark.
    private static func isIgnored(_ scalar: Unicode.Scalar) -> Bool {
        ["\u{200E}", "\u{200F}", "\u{FEFF}"].contains(scalar)
    }
}

/// A part of a written date.
struct DateToken: Hashable {
    let kind: Kind
    /// True if it begins the text, or white space or a comma is before it.
    let isApart: Bool

    enum Kind: Hashable {
        /// Digits of ASCII.
        case number(String)
        /// Letters, in lower case.
        case word(String)
        /// The unit of a number, in Chinese, Japanese and Korean.
        case unit(Unit)
        case mark(Unicode.Scalar)
    }

    enum Unit: Hashable {
        case year, month, day, hour, minute, second

        init?(_ scalar: Unicode.Scalar) {
            switch scalar {
            case "年", "년": self = .year
            case "月", "월": self = .month
            case "日", "号", "號", "일": self = .day
            case "時", "时", "点", "點", "시": self = .hour
            case "分", "분": self = .minute
            case "秒", "초": self = .second
            default: return nil
            }
        }
    }

    var word: String? { if case .word(let text) = kind { text } else { nil } }
    var mark: Unicode.Scalar? { if case .mark(let scalar) = kind { scalar } else { nil } }
    var unit: Unit? { if case .unit(let unit) = kind { unit } else { nil } }

    /// Returns the digits of a number if their count is in the range.
    func digits(_ count: ClosedRange<Int>) -> String? {
        guard case .number(let text) = kind, count.contains(text.utf8.count) else { return nil }
        return text
    }

    func number(_ count: ClosedRange<Int>) -> Int? { digits(count).flatMap { Int($0) } }
}
