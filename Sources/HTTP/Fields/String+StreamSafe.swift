extension String {
    /// The text with U+034F between combining marks where more than 30 follow each other (UAX #15
    /// §13): to normalise, to compare or to hash n marks in a row costs n² steps. Strangers' text
    /// goes through here before anything else looks at it.
    package var streamSafe: String {
        // U+0300, the first mark of all, begins with this byte.
        if utf8.allSatisfy({ $0 < 0xCC }) { return self }
        var run = 0
        for scalar in unicodeScalars {
            run = scalar.isMark ? run + 1 : 0
            if run > Self.mostMarks || scalar.decomposition != nil { return withMarksParted }
        }
        return self
    }

    private static let mostMarks = 30
    /// COMBINING GRAPHEME JOINER, which is none of the marks that are reordered.
    private static let joiner: Unicode.Scalar = "\u{34F}"

    private var withMarksParted: String {
        var parted = UnicodeScalarView()
        var run = 0
        // Invariant: `parted` has no more marks in a row than it may, `run` of them at its end.
        func append(_ scalar: Unicode.Scalar) {
            run = scalar.isMark ? run + 1 : 0
            if run > Self.mostMarks {
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
    /// Whether it may change places with its neighbours when it is normalised.
    fileprivate var isMark: Bool {
        switch value {
        // Nothing of the kind is before the first, nor in the scripts that most other text is of.
        case ..<0x300, 0x3100...0xA66E, 0xAC00...0xD7FF: false
        default: properties.canonicalCombiningClass != .notReordered
        }
    }

    /// The marks that a scalar stands for which counts as none itself: the normaliser would not
    /// put them in order.
    fileprivate var decomposition: (Unicode.Scalar, Unicode.Scalar)? {
        switch value {
        case 0xF73: ("\u{F71}", "\u{F72}")
        case 0xF75: ("\u{F71}", "\u{F74}")
        case 0xF81: ("\u{F71}", "\u{F80}")
        default: nil
        }
    }
}
