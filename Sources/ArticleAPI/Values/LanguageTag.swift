/// A well-formed BCP 47 language tag (RFC 5646 §2.1) in the recommended case (§2.1.1).
///
/// ```swift
/// let language = LanguageTag("zh-hant-tw")?.text
/// ```
package struct LanguageTag: Sendable, Hashable {
    package let text: String

    /// `nil` unless `text` is language, extended language, script, region, variants, extensions and
    /// private use, in this order, in at most 35 characters; or private use alone (`x-…`).
    ///
    /// Irregular grandfathered tags (`i-klingon`) are not accepted.
    package init?(_ text: String) {
        // Most tags are two lower-case letters, which need no parsing.
        if text.utf8.count == 2, text.utf8.allSatisfy({ (97...122).contains($0) }) {
            self.text = text
            return
        }
        guard text.utf8.count <= 35 else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.allSatisfy({ (1...8).contains($0.utf8.count) && Self.isAlphanumeric($0) })
        else { return nil }
        var rest = parts.map { $0.lowercased() }[...]
        var result: [String] = []
        if rest.first != "x" {
            guard let language = rest.popFirst(), Self.isLanguage(language) else { return nil }
            result.append(language)
            Self.take(
                3, from: &rest, to: &result,
                where: { $0.utf8.count == 3 && Self.isAlphabetic($0) && language.utf8.count < 4 })
            if let script = rest.first, script.utf8.count == 4, Self.isAlphabetic(script) {
                result.append(script.prefix(1).uppercased() + script.dropFirst())
                rest.removeFirst()
            }
            if let region = rest.first, Self.isRegion(region) {
                result.append(region.uppercased())
                rest.removeFirst()
            }
            let variants = result.count
            Self.take(35, from: &rest, to: &result, where: Self.isVariant)
            guard Set(result[variants...]).count == result.count - variants else { return nil }
        }
        guard Self.areExtensions(rest) else { return nil }
        self.text = (result + rest).joined(separator: "-")
    }

    private static func take(
        _ limit: Int, from rest: inout ArraySlice<String>, to result: inout [String],
        where isTaken: (String) -> Bool
    ) {
        var left = limit
        while left > 0, let part = rest.first, isTaken(part) {
            result.append(part)
            rest.removeFirst()
            left -= 1
        }
    }

    /// Singletons with at least one part each and without repetition; everything after `x` belongs
    /// to it.
    private static func areExtensions(_ parts: ArraySlice<String>) -> Bool {
        var seen: Set<String> = []
        var rest = parts
        while let singleton = rest.popFirst() {
            guard singleton.utf8.count == 1, seen.insert(singleton).inserted else { return false }
            if singleton == "x" { return !rest.isEmpty }
            let count = rest.prefix { $0.utf8.count > 1 }.count
            guard count > 0 else { return false }
            rest.removeFirst(count)
        }
        return true
    }

    private static func isLanguage(_ part: String) -> Bool {
        (2...8).contains(part.utf8.count) && isAlphabetic(part)
    }

    private static func isRegion(_ part: String) -> Bool {
        part.utf8.count == 2 && isAlphabetic(part)
            || part.utf8.count == 3 && part.utf8.allSatisfy { (48...57).contains($0) }
    }

    private static func isVariant(_ part: String) -> Bool {
        guard let first = part.utf8.first else { return false }
        return part.utf8.count >= 5 || part.utf8.count == 4 && (48...57).contains(first)
    }

    private static func isAlphabetic(_ part: String) -> Bool {
        part.utf8.allSatisfy { (97...122).contains($0 | 0x20) }
    }

    private static func isAlphanumeric(_ part: String) -> Bool {
        part.utf8.allSatisfy { (97...122).contains($0 | 0x20) || (48...57).contains($0) }
    }
}
