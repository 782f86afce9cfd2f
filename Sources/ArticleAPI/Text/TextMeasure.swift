/// How long a text is for its readers.
///
/// A word is a run of letters, marks and digits (any script that writes words apart, Hangul too);
/// an apostrophe, hyphen or point between two of them does not part it. Han and kana, which are
/// written without spaces, count one word a character. Markup is not looked at: code counts as it
/// is read. Reading takes 220 words or 500 Han and kana characters a minute, rounded up.
public struct TextMeasure: Sendable, Hashable {
    public let words: Int
    /// 0 for a text without words.
    public let readingMinutes: Int

    public init(_ text: String) {
        var separate = 0
        var characters = 0
        var isInWord = false
        var isAfterJoiner = false
        // Invariant: `separate` counts the words begun so far; `isInWord` while one is going on,
        // `isAfterJoiner` if it hangs on a joiner that the next letter may take up.
        for scalar in text.unicodeScalars {
            if Self.isHanOrKana(scalar) {
                characters += 1
                isInWord = false
                isAfterJoiner = false
            } else if Self.isPartOfWord(scalar) {
                if !isInWord && !isAfterJoiner { separate += 1 }
                isInWord = true
                isAfterJoiner = false
            } else {
                isAfterJoiner = isInWord && Self.isJoiner(scalar)
                isInWord = false
            }
        }
        words = separate + characters
        let seconds = separate * 60 * 500 + characters * 60 * 220
        readingMinutes = (seconds + 60 * 220 * 500 - 1) / (60 * 220 * 500)
    }

    private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "'", "\u{2019}", "-", ".", "_", "\u{AD}": true
        default: false
        }
    }

    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return (97...122).contains(scalar.value | 0x20) || (48...57).contains(scalar.value)
        }
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .uppercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber, .otherNumber, .nonspacingMark, .spacingMark:
            return true
        default: return false
        }
    }

    private static func isHanOrKana(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3041...0x3096, 0x30A1...0x30FA, 0x30FC...0x30FF, 0x31F0...0x31FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF,
            0xF900...0xFAFF, 0xFF66...0xFF9D, 0x20000...0x3FFFF:
            true
        default: false
        }
    }
}
