import CXML

/// References to resources, such as those of links (RFC 3986).
package enum Reference {
    /// The reference as an absolute one, if the base is (`xmlBuildURI`, RFC 3986 §5.2).
    ///
    /// What may not occur in a URI, such as spaces and letters outside of ASCII, is
    /// percent-encoded. A reference that is absolute is returned as it is.
    ///
    /// Against `https://example.org/a/`, `../b.png` is `https://example.org/b.png`.
    ///
    /// - Returns: `nil` if the reference or the base cannot be understood.
    package static func resolve(_ reference: String, against base: String) -> String? {
        if scheme(of: reference) != nil { return reference }
        LibXML.initialize()
        guard let built = xmlBuildURI(encoded(reference), encoded(base)) else { return nil }
        defer { broadsheet_xml_free(built) }
        return String(cString: built)
    }

    /// The lower-cased scheme (RFC 3986 §3.1); `nil` for a relative reference.
    package static func scheme(of reference: String) -> String? {
        let utf8 = reference.utf8
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")), colon > utf8.startIndex,
            let first = utf8.first, isLetter(first),
            utf8[..<colon].allSatisfy({
                isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
            })
        else { return nil }
        return String(reference[..<colon]).lowercased()
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    /// The text with percent-encoding for octets that may not occur in a URI.
    package static func encoded(_ text: String) -> String {
        var encoded: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            if byte <= 0x20 || byte >= 0x7F || "\"<>\\^`{|}".utf8.contains(byte) {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                encoded.append(byte)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
