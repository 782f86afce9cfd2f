package import HTTP

/// Makes an item of an answer's bytes.
///
/// It takes what it does not know in its stride (attributes, enum values): an older app survives a
/// newer server. What it needs must be there.
public struct ResponseMapper<Item: ResponseItem>: Sendable {
    private let answer: ResponseEncoding<Item>
    /// What a request for the item says that it takes (`Accept`, RFC 9110 §12.5.1): the item, and
    /// what is said instead of it; nothing where no body is expected.
    package let accept: HTTPFields

    public init() {
        answer = Item.answer
        accept = answer.mediaType.map { [.accept: "\($0), \(Problem.mediaType)"] } ?? [:]
    }

    public func map(_ bytes: [UInt8]) throws(ResponseMapperError) -> Item {
        try answer.read(bytes).get()
    }
}

/// Makes items of a JSON array.
public struct ArrayResponseMapper<Item: JSONRepresentable>: Sendable {
    public init() {}

    public func map(_ bytes: [UInt8]) throws(ResponseMapperError) -> [Item] {
        try JSONCodec.array(of: Item.format, atMost: .max).map(bytes)
    }

    /// The items that can be read, and for each one that was left out the reason: one bad item does
    /// not cost a screen all others. `let (items, leftOut) = try mapper.mapLeniently(bytes)`
    ///
    /// - Throws: only what is no JSON array at all.
    public func mapLeniently(
        _ bytes: [UInt8]
    ) throws(ResponseMapperError) -> (items: [Item], leftOut: [ResponseMapperError]) {
        let values: [JSONValue] = try JSONCodec.array(of: .anything, atMost: .max).map(bytes)
        var items: [Item] = []
        var leftOut: [ResponseMapperError] = []
        for (index, value) in values.enumerated() {
            var reader = JSONReader(.lenient)
            let item = reader.reading(.index(index)) { Item.format.read(value, &$0) }
            if let fault = reader.faults.first {
                leftOut.append(ResponseMapperError(fault))
            } else if let item {
                items.append(item)
            }
        }
        return (items, leftOut)
    }
}

/// Makes a page of a JSON object with `items` and perhaps `next`.
public typealias PageResponseMapper<Item: JSONRepresentable> = ResponseMapper<Page<Item>>

/// Takes an answer without content.
public typealias EmptyResponseMapper = ResponseMapper<NoContent>

/// Why an answer is not what the contract says.
public enum ResponseMapperError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Another kind of value, or no JSON at all, at a path like `$.items[3].author.name`.
    case invalid(path: String, expected: String, found: String)
    /// The attribute that should stand at the path is not there.
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
        case .unknown, .refused:
            self = .invalid(path: path, expected: "an accepted value", found: fault.message)
        }
    }
}

extension JSONRepresentable {
    /// The value of an answer's bytes, read as a client does: leniently.
    public init(mapping bytes: [UInt8]) throws(ResponseMapperError) {
        self = try Self.format.map(bytes)
    }
}

extension JSONCodec {
    func map(_ bytes: [UInt8]) throws(ResponseMapperError) -> Value {
        if let value = JSONParser.scan(bytes, scan) { return value }
        let value: JSONValue
        do {
            value = try JSONParser.parse(bytes)
        } catch {
            throw .invalid(
                path: error.path.description, expected: "JSON", found: error.message)
        }
        var reader = JSONReader(.lenient)
        let result = read(value, &reader)
        if let fault = reader.faults.first { throw ResponseMapperError(fault) }
        guard let result else { throw .invalid(path: "$", expected: "a value", found: "none") }
        return result
    }
}

extension JSONCodec where Value == JSONValue {
    /// Any JSON value, unchanged.
    fileprivate static var anything: JSONCodec {
        JSONCodec(
            schema: .either([]), read: { value, _ in value },
            write: { value, _, writer in value.write(to: &writer) })
    }
}
