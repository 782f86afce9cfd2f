/// A name for addresses, made from a title: `Über uns!` gives `über-uns`, `안녕 세상` stays Hangul.
///
/// What nobody can see (Unicode's Default_Ignorable_Code_Point: variation selectors, joiners,
/// fillers) is in no slug, so that no two slugs differ by it alone. Letters of different scripts
/// that look alike stay apart: Unicode's table of them (UTS #39) would reject honest titles, and a
/// slug says nothing of who wrote an article.
public struct Slug: Sendable, Hashable {
    /// Lower-case letters, marks and digits of any script (NFC), in words with one hyphen between.
    public let text: String

    /// Unicode scalars.
    public static let limit = 100

    /// The slug of a title; `nil` if the title has no letter and no digit, or gives the shape of an
    /// id.
    public init?(title: String) {
        var words: [String] = []
        var word = String.UnicodeScalarView()
        // Invariant: `words` and `word` hold what was kept of the scalars so far.
        for scalar in title.inNFC.lowercased().inNFC.unicodeScalars {
            if Self.isKept(scalar) {
                word.append(scalar)
            } else if !Self.isApostrophe(scalar), !isInvisible(scalar), !word.isEmpty {
                words.append(String(word))
                word = .init()
            }
        }
        if !word.isEmpty { words.append(String(word)) }
        let text = Self.joined(words)
        guard Self.fault(text) == nil else { return nil }
        self.text = text
    }

    /// Why a slug that an editor chose cannot be one; `nil` if it can.
    ///
    /// - Parameter isServed: whether an article has it already; older versions gave slugs with
    ///   invisible characters.
    public static func fault(_ text: String, isServed: Bool = false) -> String? {
        let scalars = text.unicodeScalars
        guard !text.isEmpty else { return "is empty" }
        guard text.utf8.count <= 4 * limit, scalars.count <= limit else {
            return "is longer than \(limit) characters"
        }
        let isMadeOfLetters = scalars.allSatisfy { scalar in
            isKept(scalar) || scalar == "-" || isServed && isInvisible(scalar)
        }
        guard isMadeOfLetters, text == text.lowercased() else {
            return "may hold lower-case letters, digits and hyphens only"
        }
        guard scalars.contains(where: isLetterOrDigit) else { return "has no letter and no digit" }
        return isShapedLikeID(text) ? "has the shape of an id" : nil
    }

    /// 36 characters, all hexadecimal digits but hyphens at the places of a UUID's (RFC 9562 §4).
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

    /// The words up to the limit; a single word that is longer is cut.
    private static func joined(_ words: [String]) -> String {
        var text = ""
        var length = 0
        for word in words {
            let count = word.unicodeScalars.count
            guard length > 0 else {
                text = String(String.UnicodeScalarView(word.unicodeScalars.prefix(limit)))
                length = min(count, limit)
                continue
            }
            guard length + 1 + count <= limit else { break }
            text += "-\(word)"
            length += 1 + count
        }
        return text
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

/// Whether the scalar is one that shows nothing of itself (Default_Ignorable_Code_Point).
func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0xAD && scalar.properties.isDefaultIgnorableCodePoint
}
