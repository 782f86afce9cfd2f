import ArticleAPI

/// What a scalar is for words, and the UTF-8 that it is compared by.
struct FoldedScalar {
    enum Kind: UInt8 {
        case letter, digit
        /// Of a script whose words are not separated: each is a unit of its own.
        case syllable
        /// Belongs to the letter before it.
        case mark
        case whiteSpace
        /// A hyphen or an apostrophe.
        case joiner
        /// Invisible, or a mark that is dropped.
        case ignored
        case other
    }

    let kind: Kind
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
    /// What a scalar above ASCII is.
    @inline(__always)
    init(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x80..<0x530: self = Self.european[Int(scalar.value) - 0x80]
        case 0x1E00..<0x2000: self = Self.extended[Int(scalar.value) - 0x1E00]
        default: self.init(rare: scalar)
        }
    }

    /// Latin, Greek and Cyrillic.
    private static let european = (0x80..<0x530).map { Self(computing: $0) }
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
        // Combining marks for letters, symbols, kana and half forms; voicing marks.
        case 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0x3099, 0x309A, 0xFE20...0xFE2F,
            0xFF9E, 0xFF9F:
            self.init(.ignored)
        // Hangul; kana, bopomofo and Han; Thai, Lao, Burmese and Khmer.
        case 0x1100...0x11FF, 0x3130...0x318F, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xD7B0...0xD7FF,
            0x3041...0x3096, 0x309D...0x309F, 0x30A1...0x30FA, 0x30FC...0x30FF, 0x31F0...0x31FF,
            0x3100...0x312F, 0x3005...0x3007, 0x3021...0x3029, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xF900...0xFAFF, 0x20000...0x3FFFF,
            0x0E01...0x0E3A, 0x0E40...0x0E4E, 0x0E80...0x0EDF, 0x1000...0x109F, 0x1780...0x17D3:
            self.init(.syllable, [scalar])
        // Half-width katakana.
        case 0xFF66...0xFF9D: self.init(.syllable, [Self.katakana[Int(scalar.value) - 0xFF66]])
        default: self.init(computing: scalar)
        }
    }

    private static let katakana = Array(
        ("ヲァィゥェォャュョッーアイウエオカキクケコサシスセソ"
            + "タチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン").unicodeScalars)

    /// By the scalar's properties.
    private init(computing scalar: Unicode.Scalar) {
        if (0x300...0x36F).contains(scalar.value) || isInvisible(scalar) {
            self.init(.ignored)
            return
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .letterNumber:
            self.init(.letter, Self.folded(scalar))
        case .decimalNumber: self.init(.digit, [scalar])
        case .nonspacingMark, .spacingMark, .enclosingMark: self.init(.mark, [scalar])
        case .spaceSeparator: self.init(.whiteSpace)
        case .control where scalar.properties.isWhitespace: self.init(.whiteSpace)
        default: self.init(.other)
        }
    }

    /// The letter with case folded and without marks.
    private static func folded(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        var lower = String.UnicodeScalarView()
        for letter in scalar.properties.lowercaseMapping.unicodeScalars
        where !(0x300...0x36F).contains(letter.value) {
            lower.append(BaseLetters.letter(letter))
        }
        return String(lower).caseFolded.unicodeScalars.map { BaseLetters.letter($0) }
    }
}
