/// A name for URLs, made from a title: `Über uns!` gives `über-uns`, and `안녕 세상` stays Hangul.
/// Compatibility forms become plain letters: full-width `Ｈｅｌｌｏ` gives `hello`, `ﬁn` gives `fin`.
///
/// Slugs have no invisible characters (Unicode's Default_Ignorable_Code_Point: variation selectors,
/// joiners, fillers), so that no two slugs look the same because of them. Look-alike letters of
/// different scripts stay distinct: Unicode's table of confusables (UTS #39) would reject
/// legitimate titles, and a slug does not identify the author of an article.
///
/// ```swift
/// let slug = Slug(title: "Über uns!")?.text
/// ```
package struct Slug: Sendable, Hashable {
    /// Lower-case letters, marks and digits of any script (NFC); one hyphen between words.
    package let text: String

    /// Unicode scalars.
    package static let limit = 100

    /// The slug of a title; `nil` if the title has neither letters nor digits, or if the slug would
    /// have the form of an id.
    package init?(title: String) {
        var words = WordBuilder()
        var previous: Unicode.Scalar?
        for scalar in title.inCompatibilityForms.lowercased().inNFC.unicodeScalars {
            defer { previous = scalar }
            if previous == "i", scalar == "\u{307}" {
                // `İ` in lower case: its dot is never typed.
            } else if Self.isKept(scalar) {
                words.append(scalar)
            } else if !Self.isApostrophe(scalar), !isInvisible(scalar) {
                words.endWord()
            }
        }
        words.endWord()
        let text = String(decoding: words.text, as: UTF8.self)
        guard Self.fault(text) == nil else { return nil }
        self.text = text
    }

    /// Returns the reason why a text is not a valid slug; `nil` if it is one.
    ///
    /// - Parameters:
    ///   - text: The slug that a client suggests, or that an article has.
    ///   - isServed: True if an article already has the slug; older versions made slugs with
    ///     invisible characters.
    package static func fault(_ text: String, isServed: Bool = false) -> String? {
        let scalars = text.unicodeScalars
        guard !text.isEmpty else { return "is empty" }
        guard text.utf8.count <= 4 * limit, scalars.count <= limit else {
            return "is longer than \(limit) characters"
        }
        let isMadeOfLetters = scalars.allSatisfy { scalar in
            isKept(scalar) || scalar == "-" || isServed && isInvisible(scalar)
        }
        guard isMadeOfLetters, text == text.lowercased() else {
            return "may contain only lower-case letters, digits and hyphens"
        }
        guard scalars.contains(where: isLetterOrDigit) else {
            return "must contain a letter or a digit"
        }
        return isShapedLikeID(text) ? "must not have the form of an id" : nil
    }

    /// Returns true if a text has the form of a UUID (RFC 9562 §4): 36 hexadecimal digits and
    /// hyphens.
    static func isShapedLikeID(_ text: String) -> Bool {
        text.utf8.count == 36
            && text.utf8.enumerated().allSatisfy { index, byte in
                switch byte {
                case UInt8(ascii: "-"): [8, 13, 18, 23].contains(index)
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                    UInt8(ascii: "A")...UInt8(ascii: "F"):
                    ![8, 13, 18, 23].contains(index)
                default: false
                }
            }
    }

    /// Words separated by one hyphen, up to the limit; a first word beyond it is truncated.
    private struct WordBuilder {
        /// In UTF-8.
        private(set) var text: [UInt8] = []
        /// Of the text, in scalars.
        private var length = 0
        private var word: [UInt8] = []
        private var wordLength = 0
        private var isFull = false

        mutating func append(_ scalar: Unicode.Scalar) {
            guard length > 0 || wordLength < Slug.limit else { return }
            wordLength += 1
            if scalar.isASCII {
                word.append(UInt8(truncatingIfNeeded: scalar.value))
            } else {
                word.append(contentsOf: UTF8.encode(scalar) ?? .init())
            }
        }

        mutating func endWord() {
            guard wordLength > 0 else { return }
            let hyphens = length > 0 ? 1 : 0
            isFull = isFull || length + hyphens + wordLength > Slug.limit
            if !isFull {
                if hyphens > 0 { text.append(UInt8(ascii: "-")) }
                text += word
                length += hyphens + wordLength
            }
            word.removeAll(keepingCapacity: true)
            wordLength = 0
        }
    }

    private static func isApostrophe(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "'" || scalar == "\u{2019}"
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9": return true
            default: return false
            }
        }
        return switch scalar.properties.generalCategory {
        case .lowercaseLetter, .uppercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber, .otherNumber:
            true
        default: false
        }
    }

    private static func isKept(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return isLetterOrDigit(scalar) }
        if isInvisible(scalar) { return false }
        return switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark: true
        default: isLetterOrDigit(scalar)
        }
    }
}
