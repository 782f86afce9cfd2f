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
        decoded.reserveCapacity(bytes.underestimatedCount)
        var iterator = bytes.makeIterator()
        // Invariant: what has been taken from `iterator` is in `decoded`, whole escapes only.
        while let byte = iterator.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = iterator.next().flatMap(hexValue),
                    let low = iterator.next().flatMap(hexValue)
                else { throw .badEscape }
                decoded.append(high << 4 | low)
            } else {
                decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
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
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isUnreserved(byte) || marks.utf8.contains(byte) {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded.append(hexDigit(byte >> 4))
                encoded.append(hexDigit(byte & 0xF))
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// RFC 3986 §2.3.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 55 + value }

    static func hexValue(of byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}
