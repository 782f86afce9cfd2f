/// A parsed JSON value (RFC 8259). Names keep their order, and numbers their text.
public enum JSONValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// A name and its value.
    public struct Member: Sendable, Hashable {
        public var name: String
        public var value: JSONValue

        public init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    var isNull: Bool { if case .null = self { true } else { false } }

    /// The kind of this value, in words that follow "found" or "not".
    var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// Writes this value as it was parsed; numbers keep their text.
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .boolean(let value): writer.boolean(value)
        case .number(let number): writer.raw(number.text)
        case .string(let text): writer.string(text)
        case .array(let items):
            writer.array {
                for item in items {
                    $0.element()
                    item.write(to: &$0)
                }
            }
        case .object(let members):
            writer.object {
                for member in members {
                    $0.name(member.name)
                    member.value.write(to: &$0)
                }
            }
        }
    }
}

/// A JSON number as text, so that no precision is lost before its type is known.
public struct JSONNumber: Sendable, Hashable {
    /// The number's text, at most 100 bytes of RFC 8259's grammar.
    public let text: String

    init(text: String) { self.text = text }

    /// The value as an integer; `nil` if it has a fraction or exponent or exceeds 64 bits.
    public var integer: Int64? { Int64(text) }

    /// The nearest value in binary64; infinite outside its range.
    public var double: Double { Double(text) ?? .nan }
}
