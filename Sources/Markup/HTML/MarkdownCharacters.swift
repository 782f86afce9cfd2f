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

    /// Neither white space nor punctuation.
    var isOther: Bool {
        !isPunctuation && !properties.isWhitespace
    }

    var isLetter: Bool {
        (0x41...0x5A).contains(value) || (0x61...0x7A).contains(value)
    }

    var isLetterOrDigit: Bool { isLetter || (0x30...0x39).contains(value) }

    /// Letters and digits of any script.
    var isWord: Bool { isOther && value > 0x20 }
}
