/// The characters that may occur in XML 1.0 documents (XML 1.0 §2.2, production `Char`).
package enum XMLCharacters {
    /// The text without the characters that no XML document may contain, not even as references:
    /// control characters other than tab, line feed and carriage return, U+FFFE and U+FFFF.
    package static func allowed(in text: String) -> String {
        guard text.unicodeScalars.contains(where: { !isAllowed($0) }) else { return text }
        var allowed = String.UnicodeScalarView()
        allowed.append(contentsOf: text.unicodeScalars.lazy.filter(isAllowed))
        return String(allowed)
    }

    static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// The character of a pair of surrogates (The Unicode Standard §3.9, D91).
    static func scalar(high: UInt32, low: UInt32) -> Unicode.Scalar? {
        guard (0xD800..<0xDC00).contains(high), (0xDC00..<0xE000).contains(low) else { return nil }
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    }
}
