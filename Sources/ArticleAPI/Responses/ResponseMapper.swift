package import BroadsheetHTTP

/// Decodes an item from a response's body.
///
/// Unknown attributes and enum values are tolerated, so that an older app works with a newer
/// server. Required attributes must be present.
///
/// ```swift
/// let mapper = ResponseMapper<Page<ArticleTag.Usage>>()
/// let page = try mapper.map(bytes)
/// ```
public struct ResponseMapper<Item: ResponseItem>: Sendable {
    private let encoding: ResponseEncoding<Item>
    /// The `Accept` field (RFC 9110 §12.5.1) of a request for the item: the item's media type and
    /// that of problems; empty if no body is expected.
    package let accept: HTTPFields

    public init() {
        encoding = Item.encoding
        accept = encoding.mediaType.map { [.accept: "\($0), \(Problem.mediaType)"] } ?? [:]
    }

    public func map(_ bytes: [UInt8]) throws(ResponseMapperError) -> Item {
        try encoding.read(bytes)
    }

    /// The parts that were left out of an item (``Lenient``).
    package func leftOut(of item: Item) -> [ResponseMapperError] {
        encoding.leftOut?(item) ?? []
    }
}

/// Decodes the items of a JSON array. The items keep their order.
///
/// ```swift
/// let mapper = ArrayResponseMapper<ArticleTag>()
/// let (tags, leftOut) = try mapper.mapLeniently(bytes)
/// ```
public struct ArrayResponseMapper<Item: JSONRepresentable>: Sendable {
    public init() {}

    public func map(_ bytes: [UInt8]) throws(ResponseMapperError) -> [Item] {
        try JSONCodec.array(of: Item.format, limit: .max).map(bytes)
    }

    /// The items that can be decoded, and an error for each item that cannot: one bad item does not
    /// hide the others. `let (items, leftOut) = try mapper.mapLeniently(bytes)`
    ///
    /// - Throws: only if the bytes are not a JSON array.
    public func mapLeniently(
        _ bytes: [UInt8]
    ) throws(ResponseMapperError) -> (items: [Item], leftOut: [ResponseMapperError]) {
        let lenient = try Lenient<[Item]>.encoding.read(bytes)
        return (lenient.value, lenient.leftOut)
    }
}

/// Accepts a response without content.
public typealias EmptyResponseMapper = ResponseMapper<NoContent>

/// The reason why a response does not match the contract. See ``ResponseMapper``.
public enum ResponseMapperError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The value at a path like `$.items[3].author.name` has the wrong kind or is not JSON.
    case invalid(path: String, expected: String, found: String)
    /// The required attribute at the path is absent.
    case missingAttribute(name: String, path: String)

    public var description: String {
        switch self {
        case .invalid(let path, let expected, let found):
            "\(path): expected \(expected), found \(found)"
        case .missingAttribute(let name, let path): "\(path): the attribute `\(name)` is missing"
        }
    }

    init(_ fault: JSONFault) {
        let path = fault.path.description
        switch fault.reason {
        case .invalid(let expected, let found):
            self = .invalid(path: path, expected: expected, found: found)
        case .missing:
            guard case .name(let name)? = fault.path.steps.last else { fallthrough }
            self = .missingAttribute(name: name, path: path)
        case .unknown, .rejected:
            self = .invalid(path: path, expected: "a valid value", found: fault.message)
        }
    }
}

extension JSONRepresentable {
    /// Decodes a response's body leniently, as a client does.
    public init(mapping bytes: [UInt8]) throws(ResponseMapperError) {
        self = try Self.format.map(bytes)
    }
}

extension JSONCodec {
    /// - Parameters:
    ///   - bytes: JSON.
    ///   - valueLimit: the maximum number of JSON values in it.
    @_semantics("optimize.sil.specialize.generic.never")
    package func map(
        _ bytes: [UInt8], limitValues: Int = JSONParser.limitValues
    ) throws(ResponseMapperError) -> Value {
        if let value = JSONParser.scan(bytes, limitValues: limitValues, scan) { return value }
        var reader = JSONReader(.lenient)
        return try read(bytes, limitValues: limitValues, &reader)
    }

    /// Reads JSON as a client does.
    @_semantics("optimize.sil.specialize.generic.never")
    func read(
        _ bytes: [UInt8], limitValues: Int = JSONParser.limitValues, _ reader: inout JSONReader
    ) throws(ResponseMapperError) -> Value {
        let value: JSONValue
        do {
            value = try JSONParser.parse(bytes, limitValues: limitValues)
        } catch {
            throw .invalid(
                path: error.path.description, expected: "JSON", found: error.message)
        }
        let result = read(value, &reader)
        if let fault = reader.faults.first { throw ResponseMapperError(fault) }
        guard let result else { throw .invalid(path: "$", expected: "a value", found: "none") }
        return result
    }
}

/// A value that a response carries. Use it anywhere. See ``ResponseEncoding``.
public protocol ResponseItem: Sendable {
    /// The encoding of the value, and its decoding.
    static var encoding: ResponseEncoding<Self> { get }
}

/// The encoding and decoding of responses with items of one type.
///
/// ```swift
/// let encoding = ArticleTag.encoding
/// let bytes = encoding.write(tag)
/// ```
public struct ResponseEncoding<Item>: Sendable {
    package enum Kind: Sendable, Hashable {
        case json(JSONSchema)
        /// No body (204).
        case nothing
        case bytes
    }

    package let kind: Kind
    /// `Content-Type`; `nil` without a body.
    public let mediaType: String?
    /// Writes the body; `capacity` bytes are reserved for it.
    let writeBody: @Sendable (Item, FieldSelection?, _ capacity: Int) -> [UInt8]
    let read: @Sendable ([UInt8]) throws(ResponseMapperError) -> Item
    /// The parts of the response that the item does not have, because they cannot be decoded;
    /// `nil` for an item that is complete.
    var leftOut: (@Sendable (Item) -> [ResponseMapperError])?
}

extension ResponseEncoding {
    /// The body of a response with the item.
    ///
    /// - Parameters:
    ///   - item: the value to encode.
    ///   - fields: the attributes of JSON objects to write; `nil`: all.
    ///   - capacity: the expected size in bytes.
    public func write(
        _ item: Item, _ fields: FieldSelection? = nil, capacity: Int = 4_096
    ) -> [UInt8] {
        writeBody(item, fields, capacity)
    }
}

extension JSONRepresentable {
    public static var encoding: ResponseEncoding<Self> {
        let format = Self.format
        return ResponseEncoding(
            kind: .json(format.schema), mediaType: "application/json",
            writeBody: { format.bytes(of: $0, $1, capacity: $2) },
            read: { (bytes) throws(ResponseMapperError) in try format.map(bytes) })
    }
}

/// A response without content (204). See ``DeleteArticleRequest``.
public struct NoContent: ResponseItem, Hashable {
    public init() {}

    public static let encoding = ResponseEncoding<NoContent>(
        kind: .nothing, mediaType: nil, writeBody: { _, _, _ in [] },
        read: { (_) throws(ResponseMapperError) in NoContent() })
}

/// A response of raw bytes.
///
/// ```swift
/// let bytes = RawBody.encoding.write(RawBody(picture))
/// ```
public struct RawBody: ResponseItem, Hashable {
    public var bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public static let encoding = ResponseEncoding<RawBody>(
        kind: .bytes, mediaType: "application/octet-stream",
        writeBody: { item, _, _ in item.bytes },
        read: { (bytes) throws(ResponseMapperError) in RawBody(bytes) })
}

extension ResponseEncoding where Item: Sendable {
    /// A body of bytes in some media type: `.bytes("text/plain", \.bytes, Self.init(bytes:))`.
    ///
    /// - Parameters:
    ///   - mediaType: the media type, which requests ask for in `Accept`.
    ///   - get: the body.
    ///   - make: the item with a body.
    public static func bytes(
        _ mediaType: String, _ get: @escaping @Sendable (Item) -> [UInt8],
        _ make: @escaping @Sendable ([UInt8]) -> Item
    ) -> ResponseEncoding {
        ResponseEncoding(
            kind: .bytes, mediaType: mediaType, writeBody: { item, _, _ in get(item) },
            read: { (bytes) throws(ResponseMapperError) in make(bytes) })
    }
}

/// A response of server-sent events (the HTML standard, §9.2), which a client reads while it
/// arrives. See ``StreamChangesRequest``.
public struct EventStream: ResponseItem, Hashable {
    /// The events that have arrived.
    public var bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public static let encoding = ResponseEncoding<EventStream>(
        kind: .bytes, mediaType: "text/event-stream",
        writeBody: { item, _, _ in item.bytes },
        read: { (bytes) throws(ResponseMapperError) in EventStream(bytes) })
}

/// A type with one JSON form.
///
/// It is `Codable` in that form, so that models can be stored by any coder.
///
/// ```swift
/// let bytes = tag.json()
/// let copy = try ArticleTag(mapping: bytes)
/// ```
public protocol JSONRepresentable: ResponseItem, Codable {
    static var format: JSONCodec<Self> { get }
}

/// A model that is a JSON object.
///
/// Its attributes are declared once, for both directions.
///
/// ```swift
/// struct Greeting: JSONModel, Hashable {
///     static let shape = ObjectCodec(
///         Self.init(text:), .required("text", \.text, .text(.line(1...200))))
///     var text: String
/// }
/// ```
public protocol JSONModel: JSONRepresentable {
    static var shape: ObjectCodec<Self> { get }
}

extension JSONModel {
    public static var format: JSONCodec<Self> { .object(shape) }
}

extension JSONRepresentable {
    /// The value as JSON text.
    ///
    /// - Parameters:
    ///   - fields: the attributes to write; `nil` for all.
    ///   - capacity: the number of bytes to reserve.
    public func json(_ fields: FieldSelection? = nil, capacity: Int = 1024) -> [UInt8] {
        Self.format.bytes(of: self, fields, capacity: capacity)
    }

    /// Decodes a JSON value strictly, as a backend does.
    ///
    /// - Throws: `InvalidValue` with every fault.
    public init(strict value: JSONValue) throws(InvalidValue) {
        var reader = JSONReader(.strict)
        guard let result = Self.format.read(value, &reader), reader.faults.isEmpty else {
            throw InvalidValue(faults: reader.faults)
        }
        self = result
    }

    /// The faults for which a backend would reject this value, which was made in code; empty if it
    /// is valid.
    package var faults: [JSONFault] {
        var reader = JSONReader(.strict)
        Self.format.check(self, &reader)
        return reader.faults
    }

    /// - Throws: `InvalidValue` with every fault, if a backend would reject this value.
    public func validate() throws(InvalidValue) {
        let faults = faults
        guard faults.isEmpty else { throw InvalidValue(faults: faults) }
    }
}

/// The reason why a value is rejected: all of its faults.
///
/// ```swift
/// do throws(InvalidValue) {
///     try draft.validate()
/// } catch {
///     messages = error.details.map(\.detail)
/// }
/// ```
public struct InvalidValue: Error, Sendable, Hashable {
    package var faults: [JSONFault]

    package init(faults: [JSONFault]) { self.faults = faults }

    /// The faults as a backend reports them, each with a JSON pointer to its place.
    public var details: [Problem.Detail] {
        faults.map { Problem.Detail($0.message, at: .pointer($0.path.pointer)) }
    }
}

/// A list of models is represented by a JSON array.
extension Array: JSONRepresentable, ResponseItem where Element: JSONRepresentable {
    public static var format: JSONCodec<[Element]> { .array(of: Element.format, limit: .max) }
}

/// Models by names that are data are represented by a JSON object.
extension Dictionary: JSONRepresentable, ResponseItem
where Key == String, Value: JSONRepresentable {
    public static var format: JSONCodec<[String: Value]> { .map(of: Value.format) }
}
