/// Percent-encoding (RFC 3986 §2.1), strict in both directions.
public enum PercentEncoding {
    /// Why text cannot be decoded.
    public enum DecodingError: Error, Sendable, Hashable {
        /// `%` without two hexadecimal digits behind it.
        case badEscape
        /// The decoded octets are not UTF-8.
        case invalidUTF8
        /// A NUL, which no path or query carries.
        case nul
    }

    /// Decodes octets; with `plusIsSpace`, `+` is a space, as in a query of a form.
    public static func decode(
        _ bytes: some Sequence<UInt8>, plusIsSpace: Bool = false
    ) throws(DecodingError) -> String {
        var decoded: [UInt8] = []
        var escape: [UInt8]?
        // Invariant: `escape` holds the hexadecimal digits since an open `%`, at most one.
        for byte in bytes {
            if let digits = escape {
                guard let value = hexValue(of: byte) else { throw .badEscape }
                if let high = digits.first {
                    decoded.append(high << 4 | value)
                    escape = nil
                } else {
                    escape = [value]
                }
            } else if byte == UInt8(ascii: "%") {
                escape = []
            } else {
                decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        guard escape == nil else { throw .badEscape }
        guard !decoded.contains(0) else { throw .nul }
        guard let text = String(validating: decoded, as: UTF8.self) else { throw .invalidUTF8 }
        return text
    }

    /// The text as one path segment: all but unreserved characters, `sub-delims`, `:` and `@` are
    /// escaped (RFC 3986 §3.3).
    public static func encodeSegment(_ text: String) -> String {
        encode(text, keeping: "!$&'()*+,;=:@")
    }

    /// The text as a name or value in a query: all but unreserved characters and a few harmless
    /// ones are escaped; `+` is written `%2B` and a space `%20`.
    public static func encodeQuery(_ text: String) -> String {
        encode(text, keeping: "!$'()*,;:@/?")
    }

    private static func encode(_ text: String, keeping marks: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let kept = Array("-._~".utf8) + Array(marks.utf8)
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if isAlphanumeric(byte) || kept.contains(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: false
        }
    }

    static func hexValue(of byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}
