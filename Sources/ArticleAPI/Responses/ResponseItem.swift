/// A value that a response carries.
public protocol ResponseItem: Sendable {
    /// How the value is encoded and decoded.
    static var answer: ResponseEncoding<Self> { get }
}

/// How responses with items of one type are encoded and decoded.
public struct ResponseEncoding<Item>: Sendable {
    public enum Kind: Sendable, Hashable {
        case json(JSONSchema)
        /// No body (204).
        case nothing
        case bytes
    }

    public let kind: Kind
    /// `Content-Type`; `nil` without a body.
    public let mediaType: String?
    /// Writes the body; `capacity` bytes are reserved for it.
    let writeBody: @Sendable (Item, FieldSelection?, _ capacity: Int) -> [UInt8]
    let read: @Sendable ([UInt8]) -> Result<Item, ResponseMapperError>
}

extension ResponseEncoding {
    /// The body; a selection restricts the attributes of JSON objects.
    ///
    /// - Parameter capacity: its expected size in bytes.
    public func write(
        _ item: Item, _ fields: FieldSelection? = nil, capacity: Int = 4_096
    ) -> [UInt8] {
        writeBody(item, fields, capacity)
    }
}

extension JSONRepresentable {
    public static var answer: ResponseEncoding<Self> {
        let format = Self.format
        return ResponseEncoding(
            kind: .json(format.schema), mediaType: "application/json",
            writeBody: { format.bytes(of: $0, $1, capacity: $2) },
            read: { bytes in
                Result { () throws(ResponseMapperError) in try format.map(bytes) }
            })
    }
}

/// A response without content (204).
public struct NoContent: ResponseItem, Hashable {
    public init() {}

    public static let answer = ResponseEncoding<NoContent>(
        kind: .nothing, mediaType: nil, writeBody: { _, _, _ in [] },
        read: { _ in .success(NoContent()) })
}

/// A response of raw bytes.
public struct RawBody: ResponseItem, Hashable {
    public var bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public static let answer = ResponseEncoding<RawBody>(
        kind: .bytes, mediaType: "application/octet-stream",
        writeBody: { item, _, _ in item.bytes },
        read: { .success(RawBody($0)) })
}
