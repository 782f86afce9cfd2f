/// The classes of characters that decide whether a delimiter opens or closes (CommonMark §2.1).
extension Unicode.Scalar {
    var isASCIIPunctuation: Bool {
        switch value {
        case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    var isPunctuation: Bool {
        if isASCII { return isASCIIPunctuation }
        return switch properties.generalCategory {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
            .initialPunctuation, .finalPunctuation, .otherPunctuation:
            true
        default: false
        }
    }

    /// White space of CommonMark, next to which a delimiter does not open or close: that of ASCII
    /// and spaces of any script.
    var isSpace: Bool {
        isASCIISpace || !isASCII && properties.generalCategory == .spaceSeparator
    }

    /// White space that HTML collapses.
    var isASCIISpace: Bool { value == 0x20 || (0x9...0xD).contains(value) }

    /// Neither white space nor punctuation.
    var isOther: Bool { !isPunctuation && !isSpace }

    var isLetter: Bool {
        (0x41...0x5A).contains(value) || (0x61...0x7A).contains(value)
    }

    var isLetterOrDigit: Bool { isLetter || (0x30...0x39).contains(value) }

    /// Letters and digits of any script.
    var isWord: Bool { isOther && value > 0x20 }
}
