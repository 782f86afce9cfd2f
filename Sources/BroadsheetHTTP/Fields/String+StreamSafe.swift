extension String {
    /// The text with U+034F inserted where more than 30 combining marks follow each other (UAX #15
    /// §13): normalising, comparing or hashing n marks in a row costs n² steps. Untrusted text is
    /// converted by this before any other processing.
    package var streamSafe: String {
        // U+0300, the first combining mark, starts with this byte.
        if highestByte < 0xCC { return self }
        var run = 0
        for scalar in unicodeScalars {
            run = scalar.isMark ? run + 1 : 0
            if run > Self.limitMarks || scalar.decomposition != nil { return withMarksParted }
        }
        return self
    }

    /// The highest byte of the UTF-8 form. Without an early end, the compiler compares many at
    /// once.
    private var highestByte: UInt8 {
        var text = self
        return text.withUTF8 { bytes in bytes.reduce(0) { max($0, $1) } }
    }

    private static let limitMarks = 30
    /// COMBINING GRAPHEME JOINER, which normalisation does not reorder.
    private static let joiner: Unicode.Scalar = "\u{34F}"

    private var withMarksParted: String {
        var parted = UnicodeScalarView()
        var run = 0
        // Invariant: `parted` has no run of marks that is too long; it ends with a run of `run`
        // marks.
        func append(_ scalar: Unicode.Scalar) {
            run = scalar.isMark ? run + 1 : 0
            if run > Self.limitMarks {
                parted.append(Self.joiner)
                run = 1
            }
            parted.append(scalar)
        }
        for scalar in unicodeScalars {
            if let (first, second) = scalar.decomposition {
                append(first)
                append(second)
            } else {
                append(scalar)
            }
        }
        return String(parted)
    }
}

extension Unicode.Scalar {
    /// True if normalisation may swap the scalar with its neighbours.
    fileprivate var isMark: Bool {
        switch value {
        // No such scalar precedes the first one, and the most common scripts have none.
        case ..<0x300, 0x3100...0xA66E, 0xAC00...0xD7FF: false
        default: properties.canonicalCombiningClass != .notReordered
        }
    }

    /// The number of marks in the decomposition of a scalar that is not a mark itself, which the
    /// normaliser would not reorder.
    fileprivate var decomposition: (Unicode.Scalar, Unicode.Scalar)? {
        switch value {
        case 0xF73: ("\u{F71}", "\u{F72}")
        case 0xF75: ("\u{F71}", "\u{F74}")
        case 0xF81: ("\u{F71}", "\u{F80}")
        default: nil
        }
    }
}
