import ArticleAPI

/// A scalar's role in words, and the UTF-8 by which it is compared.
struct FoldedScalar {
    enum Kind: UInt8 {
        case letter, digit
        /// Of a script whose words are not separated: each is a unit of its own.
        case syllable
        /// Belongs to the letter before it.
        case mark
        /// Voices the kana before it; it is folded to a combining one.
        case voicing
        case whiteSpace
        /// A hyphen or an apostrophe.
        case joiner
        /// Invisible, or a mark that is dropped.
        case ignored
        case other
    }

    let kind: Kind
    /// True for an upper-case letter.
    private(set) var isCapital = false
    /// At most 8 bytes, the first one lowest.
    private var packed: UInt64 = 0
    private(set) var count = 0

    private init(_ kind: Kind, _ text: some Sequence<Unicode.Scalar> = []) {
        self.kind = kind
        for scalar in text {
            let bytes = Unicode.UTF8.encode(scalar).map(Array.init) ?? []
            guard count + bytes.count <= 8 else { return }
            for byte in bytes {
                packed |= UInt64(byte) << UInt64(8 * count)
                count += 1
            }
        }
    }

    /// Appends the UTF-8.
    @inline(__always)
    func append(to bytes: inout [UInt8]) {
        var rest = packed
        for _ in 0..<count {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }
}

extension FoldedScalar {
    /// Creates the value of a scalar above ASCII.
    @inline(__always)
    init(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x80..<0xE00: self = Self.western[Int(scalar.value) - 0x80]
        case 0x1E00..<0x2000: self = Self.extended[Int(scalar.value) - 0x1E00]
        default: self.init(rare: scalar)
        }
    }

    /// The alphabets of Europe, the Near East and India.
    private static let western = (0x80..<0xE00).map { Self(computing: $0) }
    private static let extended = (0x1E00..<0x2000).map { Self(computing: $0) }

    private init(computing value: UInt32) {
        self = Unicode.Scalar(value).map { Self(computing: $0) } ?? Self(.other)
    }

    private init(rare scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x2010, 0x2011, 0x2019: self.init(.joiner)
        case 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: self.init(.whiteSpace)
        case 0x2012...0x2018, 0x201A...0x2027, 0x2030...0x205E, 0x3001...0x3004, 0x3008...0x3020:
            self.init(.other)
        case 0x115F, 0x1160, 0x3164, 0x17B4, 0x17B5: self.init(.ignored)
        case 0x3099, 0x309A: self.init(.voicing, [scalar])
        case 0xFF9E, 0xFF9F: self.init(.voicing, Self.form(of: scalar))
        // Hangul; kana, bopomofo and Han; Thai, Lao, Burmese and Khmer.
        case 0x1100...0x11FF, 0x3130...0x318F, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xD7B0...0xD7FF,
            0x3041...0x3096, 0x309D...0x309F, 0x30A1...0x30FA, 0x30FC...0x30FF, 0x31F0...0x31FF,
            0x3100...0x312F, 0x3005...0x3007, 0x3021...0x3029, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xF900...0xFAFF, 0x20000...0x3FFFF,
            0x0E01...0x0E3A, 0x0E40...0x0E4E, 0x0E80...0x0EDF, 0x1000...0x109F, 0x1780...0x17D3:
            self.init(.syllable, [scalar])
        // Half-width katakana.
        case 0xFF66...0xFF9D: self.init(.syllable, Self.form(of: scalar))
        default: self.init(computing: scalar)
        }
    }

    private static func form(of scalar: Unicode.Scalar) -> String.UnicodeScalarView {
        (scalar.compatibilityForm ?? String(scalar)).unicodeScalars
    }

    /// By the scalar's properties.
    private init(computing scalar: Unicode.Scalar) {
        if isInvisible(scalar) || Self.tatweel == scalar {
            self.init(.ignored)
            return
        }
        if let digit = scalar.properties.digit {
            self.init(.digit, [digit])
            return
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .letterNumber:
            self.init(.letter, Self.folded(scalar))
            isCapital =
                scalar.properties.isUppercase
                || scalar.properties.generalCategory == .titlecaseLetter
        case .nonspacingMark, .spacingMark, .enclosingMark:
            self = scalar.properties.isDiacriticalMark ? Self(.ignored) : Self(.mark, [scalar])
        case .spaceSeparator: self.init(.whiteSpace)
        case .control where scalar.properties.isWhitespace: self.init(.whiteSpace)
        default: self.init(.other)
        }
    }

    /// The letter with case folded and without marks.
    private static func folded(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        var lower = String.UnicodeScalarView()
        for letter in form(of: scalar).flatMap(\.properties.lowercaseMapping.unicodeScalars)
        where !letter.properties.isDiacriticalMark {
            lower.append(contentsOf: BaseLetters.letters(letter))
        }
        return String(lower).caseFolded.unicodeScalars.flatMap(BaseLetters.letters)
    }

    /// Stretches an Arabic word.
    private static let tatweel: Unicode.Scalar = "\u{640}"
}

extension Unicode.Scalar.Properties {
    /// The ASCII digit with the same value; `nil` if the scalar is not a digit.
    fileprivate var digit: Unicode.Scalar? {
        guard numericType == .decimal || numericType == .digit, let value = numericValue else {
            return nil
        }
        return Unicode.Scalar(UInt8(ascii: "0") + UInt8(value))
    }

    /// True for a mark over, below or through a letter, a nukta, or a vowel sign of Hebrew,
    /// Arabic or Syriac. Vowel signs of other scripts have no such combining class.
    fileprivate var isDiacriticalMark: Bool {
        guard generalCategory == .nonspacingMark else { return generalCategory == .enclosingMark }
        return switch canonicalCombiningClass.rawValue {
        case 1, 7, 10...36, 202...: true
        default: false
        }
    }
}
