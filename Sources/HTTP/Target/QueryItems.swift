/// The names and values of a query, in order (`a=1&b=2`).
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

    /// Why a query is invalid; `position` counts its items from 1.
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
