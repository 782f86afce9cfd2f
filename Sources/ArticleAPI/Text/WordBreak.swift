/// The classes of the property `Word_Break` (UAX #29 §4.1) that matter for counting words.
enum WordBreak {
    /// ALetter and Hebrew_Letter: Hangul too.
    case letter
    /// Numeric.
    case number
    case katakana
    /// Han and hiragana: each is a word.
    case character
    /// ExtendNumLet: `_` and similar characters.
    case connector
    /// MidLetter, and hyphens, which the annex allows as a tailoring.
    case betweenLetters
    /// MidNum.
    case betweenNumbers
    /// MidNumLet and Single_Quote.
    case betweenBoth
    /// Extend, Format and ZWJ, which are ignored (WB4).
    case ignored
    case other

    init(_ scalar: Unicode.Scalar) {
        if scalar.isASCII {
            self.init(ascii: UInt8(truncatingIfNeeded: scalar.value))
            return
        }
        switch scalar.value {
        case 0xAC00...0xD7A3: self = .letter
        case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF,
            0x3005...0x3007, 0x3021...0x3029, 0x3038...0x303C, 0x3041...0x3096, 0x309D...0x309F,
            0x1B001...0x1B11F, 0x1B150...0x1B152:
            self = .character
        case 0x30A1...0x30FA, 0x30FC...0x30FF, 0x31F0...0x31FF, 0x3031...0x3035, 0xFF66...0xFF9D,
            0x1AFF0...0x1AFFE, 0x1B000, 0x1B120...0x1B122, 0x1B155, 0x1B164...0x1B167:
            self = .katakana
        case 0xB7, 0x387, 0x55F, 0x5F4, 0x2010, 0x2011, 0x2027, 0xFE13, 0xFE55:
            self = .betweenLetters
        case 0x37E, 0x589, 0x60C, 0x60D, 0x66C, 0x7F8, 0x2044, 0xFE10, 0xFE14, 0xFE50, 0xFE54,
            0xFF0C, 0xFF1B:
            self = .betweenNumbers
        case 0x2018, 0x2019, 0x2024, 0xFE52, 0xFF07, 0xFF0E: self = .betweenBoth
        case 0x200B: self = .other
        default: self = Self.byCategory(scalar)
        }
    }

    /// The class of an ASCII character.
    init(ascii byte: UInt8) {
        self =
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                .letter
            case UInt8(ascii: "0")...UInt8(ascii: "9"): .number
            case UInt8(ascii: "_"): .connector
            case UInt8(ascii: "-"): .betweenLetters
            case UInt8(ascii: ","), UInt8(ascii: ";"): .betweenNumbers
            case UInt8(ascii: "."), UInt8(ascii: "'"): .betweenBoth
            default: .other
            }
    }

    private static func byCategory(_ scalar: Unicode.Scalar) -> WordBreak {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .letterNumber:
            .letter
        case .decimalNumber: .number
        case .nonspacingMark, .enclosingMark, .spacingMark, .format: .ignored
        case .connectorPunctuation: .connector
        case .otherSymbol where scalar.properties.isAlphabetic: .letter
        default: .other
        }
    }
}
