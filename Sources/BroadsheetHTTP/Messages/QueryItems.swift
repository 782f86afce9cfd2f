/// The names and values of a query, in order (`a=1&b=2`).
///
/// Items are decoded, at most `limit` of them, and names may be repeated.
///
/// ```swift
/// let query = try QueryItems(parsing: "tag=swift&tag=linux&q=a+b".utf8)
/// let tags = query.values(of: "tag")
/// ```
public struct QueryItems: Sendable, Hashable {
    public struct Item: Sendable, Hashable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public var items: [Item]

    /// The reason why a query is invalid; `position` counts its items from 1.
    public enum ParsingError: Error, Sendable, Hashable {
        case encoding(position: Int, PercentEncoding.DecodingError)
        /// An item without a name: `&&`, `=1`.
        case noName(position: Int)
        /// An item without `=`: neither empty nor absent.
        case noValue(name: String)
        /// More than `limit` items.
        case tooMany(limit: Int)
    }

    /// The maximum number of items in a query.
    public static let limit = 100

    public init(_ items: [Item] = []) { self.items = items }

    /// Parses the octets after `?`: `+` is a space, `a=` is an empty value.
    public init(parsing query: some Collection<UInt8>) throws(ParsingError) {
        items = []
        guard !query.isEmpty else { return }
        let query = Array(query)
        let count = query.count { $0 == UInt8(ascii: "&") } + 1
        guard count <= Self.limit else { throw .tooMany(limit: Self.limit) }
        items.reserveCapacity(count)
        var start = 0
        for position in 1...count {
            let end = query[start...].firstIndex(of: UInt8(ascii: "&")) ?? query.count
            let part = query[start..<end]
            items.append(try Self.item(part.span, position))
            start = end + 1
        }
    }

    private static func item(
        _ part: borrowing Span<UInt8>, _ position: Int
    ) throws(ParsingError) -> Item {
        var end = 0
        while end < part.count, part[end] != UInt8(ascii: "=") { end += 1 }
        let name = try decode(part.extracting(..<end), position)
        guard !name.isEmpty else { throw .noName(position: position) }
        guard end < part.count else { throw .noValue(name: name) }
        return Item(name, try decode(part.extracting((end + 1)...), position))
    }

    private static func decode(
        _ bytes: borrowing Span<UInt8>, _ position: Int
    ) throws(ParsingError) -> String {
        do throws(PercentEncoding.DecodingError) {
            return try PercentEncoding.decode(bytes, plusIsSpace: true)
        } catch { throw .encoding(position: position, error) }
    }

    /// The values of a name in order.
    public func values(of name: String) -> [String] {
        items.filter { $0.name == name }.map(\.value)
    }

    /// The encoded query; empty without items.
    public var encoded: String {
        var text = ""
        for item in items {
            if !text.isEmpty { text += "&" }
            text += PercentEncoding.encodeQuery(item.name)
            text += "="
            text += PercentEncoding.encodeQuery(item.value)
        }
        return text
    }
}

/// Percent-encoding (RFC 3986 §2.1), strict in both directions.
///
/// Malformed escapes, invalid UTF-8 and NUL are errors, never kept as they are. Its functions may
/// be used on any thread.
///
/// ```swift
/// let encoded = PercentEncoding.encodeQuery("café & bar")
/// let decoded = try PercentEncoding.decode(encoded.utf8)
/// ```
public enum PercentEncoding {
    /// The reason why text cannot be decoded.
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
        guard let text = String(validUTF8: decoded) else { throw .invalidUTF8 }
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
                append(escaped: byte, to: &encoded)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Appends `%` and the octet's two hexadecimal digits.
    static func append(escaped byte: UInt8, to encoded: inout [UInt8]) {
        encoded.append(UInt8(ascii: "%"))
        encoded.append(hexDigit(byte >> 4))
        encoded.append(hexDigit(byte & 0xF))
    }

    private static let segmentOctets = unreserved.union("!$&'()*+,;=:@")
    private static let queryOctets = unreserved.union("!$'()*,;:@/?")

    /// RFC 3986 §2.3: digits, letters and four marks.
    private static let unreserved = OctetSet(
        low: 0x03FF_0000_0000_0000, high: 0x07FF_FFFE_07FF_FFFE
    ).union("-._~")

    private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 55 + value }

    /// The value of a hexadecimal digit; `nil` for any other byte.
    package static func hexValue(of byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}
