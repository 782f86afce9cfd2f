/// The encoding of values of a type as JSON, their decoding, and the limits within which a backend
/// accepts them.
///
/// Equal values give the same bytes.
///
/// ```swift
/// let format = JSONCodec<[Int]>.array(of: .integer(1...100), limit: 10)
/// let schema = format.schema
/// ```
public struct JSONCodec<Value>: Sendable {
    package let schema: JSONSchema
    /// Reads a value, or reports a fault and returns `nil`. A strict reader also reports values
    /// that a backend rejects.
    let read: @Sendable (JSONValue, inout JSONReader) -> Value?
    /// Reads a value directly from the text, as a client does: the same value that `read` gives, or
    /// `nil` if only `read` can tell.
    let scan: @Sendable (inout JSONParser) -> Value?
    let write: @Sendable (Value, FieldPlan?, inout JSONWriter) -> Void
    /// Reports the parts of a value made in code that a backend would reject.
    let check: @Sendable (Value, inout JSONReader) -> Void
    /// The attributes that `fields` can select, if the values are objects or arrays of objects.
    let fields: [FieldNames]
    /// The plan for a selection of attributes, if the values are objects.
    let plan: @Sendable (FieldSelection) -> FieldPlan?

    package init(
        schema: JSONSchema, read: @escaping @Sendable (JSONValue, inout JSONReader) -> Value?,
        scan: (@Sendable (inout JSONParser) -> Value?)? = nil,
        write: @escaping @Sendable (Value, FieldPlan?, inout JSONWriter) -> Void,
        check: @escaping @Sendable (Value, inout JSONReader) -> Void = { _, _ in },
        fields: [FieldNames] = [],
        plan: @escaping @Sendable (FieldSelection) -> FieldPlan? = { _ in nil }
    ) {
        self.schema = schema
        self.read = read
        self.scan =
            scan ?? { parser in
                guard let value = try? parser.value() else { return nil }
                var reader = JSONReader(.lenient)
                let result = read(value, &reader)
                return reader.faults.isEmpty ? result : nil
            }
        self.write = write
        self.check = check
        self.fields = fields
        self.plan = plan
    }
}

extension JSONCodec {
    /// The JSON text of a value.
    func bytes(of value: Value, _ fields: FieldSelection?, capacity: Int) -> [UInt8] {
        var writer = JSONWriter(capacity: capacity)
        write(value, fields.flatMap(plan), &writer)
        return writer.bytes
    }

    /// A JSON string in this form.
    public static func text(_ format: TextCodec<Value>) -> JSONCodec {
        JSONCodec(
            schema: format.schema,
            read: { value, reader in
                guard case .string(let text) = value else {
                    reader.report(.invalid(expected: format.expectation, found: value.kind))
                    return nil
                }
                guard let result = format.parse(text) else {
                    let found = "\"\(text.excerpt)\""
                    reader.report(.invalid(expected: format.expectation, found: found))
                    return nil
                }
                if reader.isStrict, let fault = format.fault(result) {
                    reader.report(.rejected(fault))
                    return nil
                }
                return result
            },
            scan: { parser in
                guard let (text, isASCII) = parser.scanText() else { return nil }
                return isASCII ? format.parseASCII(text) : format.parse(text)
            },
            write: { value, _, writer in writer.string(format.print(value)) },
            check: { value, reader in
                if let fault = format.fault(value) { reader.report(.rejected(fault)) }
            })
    }

    /// A JSON string in this form. `write` gives bytes that need no escaping; `parse` reads strings
    /// that contain no escapes.
    static func text(
        _ format: TextCodec<Value>,
        plain write: @escaping @Sendable (Value, inout [UInt8]) -> Void,
        parse: @escaping @Sendable (borrowing Span<UInt8>) -> Value?
    ) -> JSONCodec {
        let text = JSONCodec.text(format)
        return JSONCodec(
            schema: text.schema, read: text.read, scan: { $0.scanPlain(parse) },
            write: { value, _, writer in writer.string { write(value, &$0) } }, check: text.check)
    }

    /// A JSON array of values in a format.
    public static func array<Element>(
        of element: JSONCodec<Element>, limit: Int
    ) -> JSONCodec where Value == [Element] {
        JSONCodec(
            schema: .array(of: element.schema, count: 0...limit),
            read: { value, reader in
                guard case .array(let values) = value else {
                    reader.report(.invalid(expected: "an array", found: value.kind))
                    return nil
                }
                if reader.isStrict, values.count > limit {
                    reader.report(.rejected("has more than \(limit) items"))
                    return nil
                }
                var items: [Element] = []
                items.reserveCapacity(values.count)
                for (index, value) in values.enumerated() {
                    let item = reader.item(at: index) { element.read(value, &$0) }
                    if let item { items.append(item) }
                }
                return items.count == values.count || reader.leavesOutItems ? items : nil
            },
            scan: { $0.scanItems(element.scan) },
            write: { values, plan, writer in
                writer.array {
                    for value in values {
                        $0.element()
                        element.write(value, plan, &$0)
                    }
                }
            },
            check: { values, reader in
                if values.count > limit { reader.report(.rejected("has more than \(limit) items")) }
                for (index, value) in values.prefix(limit).enumerated() {
                    reader.reading(.index(index)) { element.check(value, &$0) }
                }
            },
            fields: element.fields, plan: element.plan)
    }

    /// A JSON object of this shape.
    public static func object(_ shape: ObjectCodec<Value>) -> JSONCodec {
        JSONCodec(
            schema: shape.schema,
            read: { shape.read($0, &$1) }, scan: { shape.scan(&$0) },
            write: { shape.write($0, $1, to: &$2) },
            check: { shape.check($0, &$1) },
            fields: shape.fields, plan: { shape.plan($0) })
    }
}

extension JSONCodec where Value == Bool {
    public static var boolean: JSONCodec {
        JSONCodec(
            schema: .boolean,
            read: { value, reader in
                guard case .boolean(let isTrue) = value else {
                    reader.report(.invalid(expected: "true or false", found: value.kind))
                    return nil
                }
                return isTrue
            },
            scan: { $0.scanBoolean() },
            write: { value, _, writer in writer.boolean(value) }, check: { _, _ in })
    }
}

extension JSONCodec where Value == Int {
    /// A JSON number without fraction or exponent.
    public static func integer(_ range: ClosedRange<Int>) -> JSONCodec {
        JSONCodec(
            schema: .integer(range),
            read: { value, reader in
                guard case .number(let number) = value,
                    let integer = number.integer.flatMap({ Int(exactly: $0) })
                else {
                    reader.report(.invalid(expected: "an integer", found: value.kind))
                    return nil
                }
                if reader.isStrict, !range.contains(integer) {
                    reader.report(.rejected(TextCodec<Int>.outside(range)))
                    return nil
                }
                return integer
            },
            scan: { $0.scanInteger() },
            write: { value, _, writer in writer.integer(value) },
            check: { value, reader in
                if !range.contains(value) {
                    reader.report(.rejected(TextCodec<Int>.outside(range)))
                }
            })
    }
}

extension JSONCodec where Value == Double {
    /// A JSON number from 0 to 1.
    public static var fraction: JSONCodec {
        let fault = "must be between 0 and 1"
        return JSONCodec(
            schema: .fraction,
            read: { value, reader in
                guard case .number(let number) = value else {
                    reader.report(.invalid(expected: "a number", found: value.kind))
                    return nil
                }
                if reader.isStrict, !(0...1).contains(number.double) {
                    reader.report(.rejected(fault))
                    return nil
                }
                return number.double
            },
            // Zero has one sign, so that equal values give the same bytes.
            write: { value, _, writer in writer.raw("\(value == 0 ? 0 : value)") },
            check: { value, reader in
                if !(0...1).contains(value) { reader.report(.rejected(fault)) }
            })
    }
}

/// The values that a place in the contract accepts, for documentation and generated tests. See
/// ``JSONCodec``.
package indirect enum JSONSchema: Sendable, Hashable {
    case boolean
    case integer(ClosedRange<Int>)
    /// A number from 0 to 1.
    case fraction
    /// Any number.
    case number
    case text(TextSchema)
    /// One of these texts.
    case choice([String])
    case array(of: JSONSchema, count: ClosedRange<Int>)
    case object([Property])
    /// An object with any names; the values have this schema.
    case map(of: JSONSchema)
    /// Any of these; they differ in their JSON kind or their required properties. An empty list
    /// accepts every value.
    case either([JSONSchema])
    /// This, or `null`, which resets the attribute in a merge patch.
    case nullable(JSONSchema)
    /// A schema with a name in descriptions of the API. Equal names have equal schemas.
    case named(String, JSONSchema)

    /// The name in descriptions of the API; `nil` if the schema is described where it is used.
    package var name: String? { if case .named(let name, _) = self { name } else { nil } }

    /// The schema without its name.
    package var unnamed: JSONSchema {
        if case .named(_, let schema) = self { schema.unnamed } else { self }
    }

    /// One property of an object.
    package struct Property: Sendable, Hashable {
        package var name: String
        package var schema: JSONSchema
        package var presence: Presence

        package init(name: String, schema: JSONSchema, presence: Presence) {
            self.name = name
            self.schema = schema
            self.presence = presence
        }

        /// True if a request must contain it.
        package var isRequired: Bool { presence == .required }
    }

    /// The condition under which an object has a property.
    package enum Presence: Sendable, Hashable {
        /// It is in every request and response.
        case required
        /// It may be absent or `null` in a request. A response without a value omits it.
        case optional
        /// It may be absent or `null` in a request, which means this value. It is in every
        /// response.
        case defaulted(JSONValue)
    }
}

/// The texts that a place in the contract accepts. See ``TextCodec``.
package struct TextSchema: Sendable, Hashable {
    package var form: Form
    /// Unicode scalars, as JSON Schema counts characters.
    package var length: ClosedRange<Int>

    package init(_ form: Form, length: ClosedRange<Int>) {
        self.form = form
        self.length = length
    }

    package enum Form: Sendable, Hashable {
        /// Without line breaks and other control characters.
        case line
        /// Any text without NUL.
        case lines
        /// Any text.
        case anything
        /// A UUIDv7 (RFC 9562).
        case identifier
        /// A UUIDv7 or a slug.
        case articleKey
        /// RFC 3339.
        case timestamp
        /// BCP 47.
        case language
        /// An absolute http(s) URL.
        case webAddress
        case slug
        /// Comma-separated names out of these; nested ones are dotted: `id,authors.name`.
        case fieldNames([String])
        /// Printable ASCII without spaces.
        case token
        /// Entity tags (RFC 9110 §8.8.3) separated by commas, or `*`.
        case entityTags
    }
}
