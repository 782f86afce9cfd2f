/// Percent-encoding (RFC 3986 §2.1), strict in both directions.
public enum PercentEncoding {
    /// Why text cannot be decoded.
    public enum DecodingError: Error, Sendable, Hashable {
        /// A `%` that is not followed by two hexadecimal digits.
        case badEscape
        /// The decoded octets are not valid UTF-8.
        case invalidUTF8
        /// A NUL, which is not allowed in paths and queries.
        case nul
    }

    /// Decodes octets; with `plusIsSpace`, `+` is a space, as in form queries.
    public static func decode(
        _ bytes: some Sequence<UInt8>, plusIsSpace: Bool = false
    ) throws(DecodingError) -> String {
        let octets = Array(bytes)[...]
        return try decode(octets.span, plusIsSpace: plusIsSpace)
    }

    static func decode(
        _ bytes: borrowing Span<UInt8>, plusIsSpace: Bool = false
    ) throws(DecodingError) -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        // Invariant: `decoded` holds the octets before `index`, which is not inside an escape.
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "%"):
                guard index + 1 < bytes.count, let high = hexValue(of: bytes[index]),
                    let low = hexValue(of: bytes[index + 1])
                else { throw .badEscape }
                decoded.append(high << 4 | low)
                index += 2
            case UInt8(ascii: "+") where plusIsSpace: decoded.append(0x20)
            default: decoded.append(byte)
            }
        }
        guard !decoded.contains(0) else { throw .nul }
        guard let text = String(validating: decoded, as: UTF8.self) else { throw .invalidUTF8 }
        return decoded.contains { $0 >= 0x80 } ? text.streamSafe : text
    }

    /// Encodes the text as one path segment: everything but unreserved characters, `sub-delims`,
    /// `:` and `@` is escaped (RFC 3986 §3.3).
    public static func encodeSegment(_ text: String) -> String {
        encode(text, keeping: segmentOctets)
    }

    /// Encodes the text as a name or value in a query: everything but unreserved characters and a
    /// few harmless ones is escaped; `+` becomes `%2B` and a space `%20`.
    public static func encodeQuery(_ text: String) -> String {
        encode(text, keeping: queryOctets)
    }

    private static func encode(_ text: String, keeping kept: OctetSet) -> String {
        var text = text
        if text.withUTF8({ $0.allSatisfy(kept.contains) }) { return text }
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if kept.contains(byte) {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded.append(hexDigit(byte >> 4))
                encoded.append(hexDigit(byte & 0xF))
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static let segmentOctets = unreserved.union("!$&'()*+,;=:@")
    private static let queryOctets = unreserved.union("!$'()*,;:@/?")

    /// RFC 3986 §2.3: digits, letters and four marks.
    private static let unreserved = OctetSet(
        low: 0x03FF_0000_0000_0000, high: 0x07FF_FFFE_07FF_FFFE
    ).union("-._~")

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
