/// The number of words and the reading time of a text.
///
/// Words are those of Unicode's default segmentation (UAX #29 §4.1) that have a letter or a digit:
/// Korean and English words are separated by spaces, Han and hiragana characters count one by one,
/// and a run of katakana is one word. As the annex allows, a hyphen between letters does not
/// separate words. Scripts without spaces that only a dictionary can segment (Thai, Lao, Khmer,
/// Burmese) count the text between spaces as one word.
///
/// The reading speed is 220 words, or 500 characters of Han and kana, a minute, rounded up.
///
/// ```swift
/// let measure = TextMeasure("Flour, water and salt.")
/// let line = "\(measure.words) words, \(measure.readingMinutes) min"
/// ```
package struct TextMeasure: Sendable, Hashable {
    package let words: Int
    /// 0 for a text without words.
    package let readingMinutes: Int

    /// A measure with known values.
    package init(words: Int, readingMinutes: Int) {
        self.words = words
        self.readingMinutes = readingMinutes
    }

    package init(_ text: String) {
        var text = text
        self = text.withUTF8 { bytes in TextMeasure(bytes) }
    }

    /// The measure of UTF-8 text; ill-formed bytes count as U+FFFD, as in `String(decoding:as:)`.
    package init(utf8 bytes: [UInt8]) {
        self = bytes.withUnsafeBufferPointer { bytes in TextMeasure(bytes) }
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
        var segmenter = WordSegmenter()
        var start = 0
        // Invariant: the bytes before `start` are processed. ASCII is processed byte by byte
        // without decoding; a run of other scalars is decoded as a whole.
        while start < bytes.count {
            if bytes[start] < 0x80 {
                let kind = WordBreak(ascii: bytes[start])
                segmenter.take(kind)
                start += 1
                // Further letters after a letter change nothing.
                while kind == .letter, start < bytes.count, Self.isLetter(bytes[start]) {
                    start += 1
                }
            } else {
                let end = bytes[start...].firstIndex { $0 < 0x80 } ?? bytes.count
                let run = String(
                    decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
                for scalar in run.unicodeScalars { segmenter.take(WordBreak(scalar)) }
                start = end
            }
        }
        words = segmenter.words
        let perCharacter = 220
        let perWord = 500
        let parts = segmenter.spacedWords * perWord + segmenter.characters * perCharacter
        readingMinutes = (parts + perWord * perCharacter - 1) / (perWord * perCharacter)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26
    }
}

/// Counts words by the classes of their scalars.
private struct WordSegmenter {
    private(set) var words = 0
    /// Words without Han and kana.
    private(set) var spacedWords = 0
    /// Han and kana.
    private(set) var characters = 0
    /// The last scalar that counts for segmentation.
    private var last = WordBreak.other
    /// Follows `last` and joins it to a next scalar of the right kind (WB6, WB7, WB11, WB12).
    private var joiner: WordBreak?
    /// True if the current segment was counted.
    private var isCounted = false

    mutating func take(_ kind: WordBreak) {
        switch kind {
        case .ignored: return
        case .letter, .number:
            if !continues(kind) { isCounted = false }
            if !isCounted {
                words += 1
                spacedWords += 1
            }
            isCounted = true
        case .katakana:
            if joiner != nil || last != .katakana && last != .connector { isCounted = false }
            if !isCounted { words += 1 }
            isCounted = true
            characters += 1
        case .character:
            words += 1
            characters += 1
            isCounted = false
        case .connector: if joiner != nil || last == .other { isCounted = false }
        case .betweenLetters, .betweenNumbers, .betweenBoth:
            if joiner == nil, last == .letter || last == .number {
                joiner = kind
                return
            }
            isCounted = false
        case .other: isCounted = false
        }
        joiner = nil
        switch kind {
        case .letter, .number, .katakana, .connector: last = kind
        default: last = .other
        }
    }

    /// Returns true if a letter or a digit belongs to the segment before it (WB5 to WB13b).
    private func continues(_ kind: WordBreak) -> Bool {
        switch joiner {
        case nil: last == .letter || last == .number || last == .connector
        case .betweenLetters?: last == .letter && kind == .letter
        case .betweenNumbers?: last == .number && kind == .number
        default: last == kind
        }
    }
}

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
