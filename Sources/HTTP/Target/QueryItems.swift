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

    /// Why a query cannot be taken; `position` counts its parts from 1.
    public enum ParsingError: Error, Sendable, Hashable {
        case encoding(position: Int, PercentEncoding.DecodingError)
        /// A part without a name: `&&`, `=1`.
        case noName(position: Int)
        /// A part without `=`: neither empty nor absent.
        case noValue(name: String)
        /// More than `limit` parts.
        case tooMany(limit: Int)
    }

    /// The most parts that a query has.
    public static let limit = 100

    public init(_ items: [Item] = []) { self.items = items }

    /// Reads the octets behind `?`: `+` is a space, `a=` is an empty value.
    public init(parsing query: some Collection<UInt8>) throws(ParsingError) {
        items = []
        guard !query.isEmpty else { return }
        let parts = query.split(
            separator: UInt8(ascii: "&"), maxSplits: Self.limit, omittingEmptySubsequences: false)
        guard parts.count <= Self.limit else { throw .tooMany(limit: Self.limit) }
        for (index, part) in parts.enumerated() {
            let halves = part.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decode(halves[0], position: index + 1)
            guard !name.isEmpty else { throw .noName(position: index + 1) }
            guard halves.count == 2 else { throw .noValue(name: name) }
            items.append(Item(name, try Self.decode(halves[1], position: index + 1)))
        }
    }

    private static func decode(
        _ bytes: some Sequence<UInt8>, position: Int
    ) throws(ParsingError) -> String {
        do throws(PercentEncoding.DecodingError) {
            return try PercentEncoding.decode(bytes, plusIsSpace: true)
        } catch { throw .encoding(position: position, error) }
    }

    /// The values of a name, in order.
    public func values(of name: String) -> [String] {
        items.filter { $0.name == name }.map(\.value)
    }

    /// The query, encoded; empty without items.
    public var encoded: String {
        items.map {
            PercentEncoding.encodeQuery($0.name) + "=" + PercentEncoding.encodeQuery($0.value)
        }.joined(separator: "&")
    }
}
