import ArticleAPI
package import ArticleStore
import BroadsheetHTTP

/// Fits texts and names of other programs to the limits of articles.
package enum ArticleFitter {
    /// Returns the text, with an ellipsis in place of the part that exceeds a number of Unicode
    /// scalars.
    package static func cut(_ text: String, to limit: Int) -> String {
        guard text.unicodeScalars.count > limit else { return text }
        var end = text.startIndex
        var count = 0
        // Invariant: `count` scalars are before `end`, which is between two characters.
        while end < text.endIndex {
            count += text[end].unicodeScalars.count
            guard count < limit else { break }
            end = text.index(after: end)
        }
        return text[..<end] + "…"
    }

    /// The text on one line, in NFC.
    package static func line(_ text: String, to limit: Int) -> String {
        cut(text.onOneLine.inNFC, to: limit)
    }

    /// The first names that an article can have, each once, without blank ones.
    package static func names(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        let fitting = names.map { line($0, to: ArticleLimits.authorName.upperBound) }.filter {
            !$0.allSatisfy(\.isWhitespace) && seen.insert($0).inserted
        }
        return Array(fitting.prefix(ArticleLimits.authors))
    }

    /// The first tags that an article can have, each once.
    package static func tags(_ names: [String]) -> [String] {
        var keys: Set<String> = []
        let fitting = names.map { line($0, to: ArticleLimits.tag.upperBound) }.filter { name in
            let key = ArticleTag(named: name).key
            return !key.isEmpty && keys.insert(key).inserted
        }
        return Array(fitting.prefix(ArticleLimits.tags))
    }
}

extension String {
    /// The text with spaces in place of control characters and line breaks, which file names may
    /// contain.
    package var onOneLine: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.value {
                    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: " "
                    default: scalar
                    }
                }))
    }

    /// The text without percent encoding, which WordPress and others use for slugs in other
    /// scripts.
    var withoutPercentEncoding: String {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)?.streamSafe ?? self
    }
}

extension ImportItem {
    /// Maximum number of former slugs of an imported article.
    package static let limitFormerSlugs = 50
    /// Maximum length in bytes of an article's import path: a file's identity and a line's name.
    package static let limitPathBytes = 1_000
}
