extension String {
    /// The text in Unicode Normalization Form C, and stream-safe: how the backend keeps all text.
    ///
    /// By the standard library's own normaliser, which is there on every platform (5 ns a byte);
    /// ASCII is in it already.
    public var inNFC: String {
        var text = self
        let bits = text.withUTF8 { $0.reduce(0) { $0 | $1 } }
        if bits < 0x80 { return text }
        // What was one mark may be two by now.
        return String(decoding: text.streamSafe._nfcCodeUnits, as: UTF8.self).streamSafe
    }

    /// The text with U+034F between combining marks where more than 30 follow each other (UAX #15
    /// §13): to normalise, to compare or to hash n marks in a row costs n² steps.
    var streamSafe: String {
        var run = 0
        for scalar in unicodeScalars {
            run = scalar.isMark ? run + 1 : 0
            if run > Self.mostMarks { return withMarksParted }
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
        for scalar in unicodeScalars {
            run = scalar.isMark ? run + 1 : 0
            if run > Self.mostMarks {
                parted.append(Self.joiner)
                run = 1
            }
            parted.append(scalar)
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
}
