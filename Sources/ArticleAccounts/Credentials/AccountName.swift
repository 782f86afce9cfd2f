import ArticleAPI
package import ArticleServiceCore

/// The name of an account, with which its owner signs in.
///
/// Two names are the same account if their keys are equal. Look-alike letters of different scripts
/// stay distinct, as in slugs.
package struct AccountName: Sendable, Hashable {
    /// As it was written, in NFC: letters and digits of any script with their marks, and `._-`.
    package let text: String
    /// Case-folded, in NFKC: distinguishes accounts. `Straße`, `STRASSE` and `ＳＴＲＡＳＳＥ` have
    /// the same.
    package let key: String

    /// Unicode scalars.
    static let lengths = 3...32

    /// - Throws: The fault of the text, at `/name`.
    package init(_ text: String) throws(ServiceError) {
        // Composing a scalar takes few others, so a longer text need not be normalized.
        let isLong = text.utf8.count > 16 * Self.lengths.upperBound
        let text = isLong ? "" : text.inNFC
        let count = text.unicodeScalars.count
        if isLong || count > Self.lengths.upperBound {
            throw Self.fault("is longer than \(Self.lengths.upperBound) characters")
        }
        if count < Self.lengths.lowerBound {
            throw Self.fault("is shorter than \(Self.lengths.lowerBound) characters")
        }
        let plain = Self.withoutWidths(text)
        guard Self.isMadeOfLetters(plain) else {
            throw Self.fault("may contain only letters, digits, and . _ -")
        }
        guard plain.unicodeScalars.contains(where: { Self.kind(of: $0) == .letter }) else {
            throw Self.fault("must contain a letter or a digit")
        }
        guard let key = Self.folded(plain) else {
            throw Self.fault("contains a variant of a letter, such as a ligature or a superscript")
        }
        self.text = text
        self.key = key
    }

    private static func fault(_ detail: String) -> ServiceError { .invalidValue("/name", detail) }

    private enum Kind { case letter, mark, punctuation, other }

    private static func kind(of scalar: Unicode.Scalar) -> Kind {
        if isInvisible(scalar) { return .other }
        return switch scalar.properties.generalCategory {
        case .lowercaseLetter, .uppercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber:
            .letter
        case .nonspacingMark, .spacingMark: .mark
        default: "._-".unicodeScalars.contains(scalar) ? .punctuation : .other
        }
    }

    /// Returns true if there is nothing else, and every mark is on a letter.
    private static func isMadeOfLetters(_ text: String) -> Bool {
        var previous = Kind.punctuation
        for scalar in text.unicodeScalars {
            let kind = kind(of: scalar)
            if kind == .other || kind == .mark && previous == .punctuation { return false }
            previous = kind
        }
        return true
    }

    /// The text with full-width forms of ASCII as ASCII, and with the Thai and Lao vowel AM
    /// decomposed: the compatibility forms that keyboards write.
    private static func withoutWidths(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0xFF01...0xFF5E:
                result.append(Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar)
            case 0xE33: result.append(contentsOf: "\u{E4D}\u{E32}".unicodeScalars)
            case 0xEB3: result.append(contentsOf: "\u{ECD}\u{EB2}".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// The case-folded text; `nil` if NFKC would change it. The standard library has no NFKC, but
    /// knows which scalars it changes: those forms are rejected rather than mapped.
    private static func folded(_ text: String) -> String? {
        // Folding ẞ gives ß, which folds to ss.
        let folded = text.caseFolded.caseFolded
        let isStable = folded.unicodeScalars.allSatisfy { scalar in
            // The small letters of Cherokee are folded to capital ones by Unicode only.
            !scalar.properties.changesWhenNFKCCaseFolded || scalar.properties.changesWhenCaseFolded
        }
        guard isStable else { return nil }
        // A dot above i or j is not visible; İ is folded to such an i.
        var result = String.UnicodeScalarView()
        for scalar in folded.unicodeScalars
        where scalar != "\u{307}" || result.last != "i" && result.last != "j" {
            result.append(scalar)
        }
        return String(result).inNFC
    }
}
