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
    public var faults: [JSONFault] {
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
///     messages = error.faults.map { "\($0.path.pointer) \($0.message)" }
/// }
/// ```
public struct InvalidValue: Error, Sendable, Hashable {
    public var faults: [JSONFault]

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
