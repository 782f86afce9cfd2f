import ArticleAPI

/// The sender of a value. Requests are described as the backend reads them, which rejects unknown
/// attributes and takes `null` for an absent value; responses as the backend writes them.
enum Direction: Hashable {
    case request, response
}

/// The named schemas of a description, written as JSON Schema 2020-12 when they are first used.
struct SchemaTable {
    /// Names of objects that requests and responses contain, and that differ in the two.
    private let shared: Set<String>
    private var definitions: [String: (source: JSONSchema, written: JSONValue)] = [:]
    /// Names that were given to different schemas: errors in the declarations.
    private(set) var conflicts: Set<String> = []

    /// - Parameters:
    ///   - requests: the schemas of all requests.
    ///   - responses: the schemas of all responses.
    init(requests: [JSONSchema], responses: [JSONSchema]) {
        let sent = requests.reduce(into: Set<String>()) { Self.collect($1, &$0) }
        let received = responses.reduce(into: Set<String>()) { Self.collect($1, &$0) }
        shared = sent.intersection(received)
    }

    /// `#/components/schemas`, sorted by name.
    var components: JSONValue {
        .members(definitions.sorted { $0.key < $1.key }.map { ($0.key, $0.value.written) })
    }

    /// The schema as JSON: a reference if it has a name.
    mutating func write(_ schema: JSONSchema, _ direction: Direction) -> JSONValue {
        guard case .named(let name, let inner) = schema else {
            return describe(schema, direction)
        }
        return reference(to: name, inner, direction, isNullable: false)
    }

    /// The schema, which also accepts `null`, as JSON. If it has a name, so has this: generators of
    /// clients ignore attributes with `anyOf` of a reference and `null`.
    private mutating func writeNullable(
        _ schema: JSONSchema, _ direction: Direction
    ) -> JSONValue {
        switch schema {
        case .nullable(let inner): writeNullable(inner, direction)
        case .named(let name, let inner):
            reference(to: name, inner, direction, isNullable: true)
        default: write(schema, direction).orNull
        }
    }

    private mutating func reference(
        to name: String, _ schema: JSONSchema, _ direction: Direction, isNullable: Bool
    ) -> JSONValue {
        let isInput = direction == .request && shared.contains(name)
        let key = name + (isInput ? "Input" : "") + (isNullable ? "OrNull" : "")
        if let known = definitions[key] {
            if known.source != schema { conflicts.insert(key) }
        } else {
            // A schema that contains itself finds its name here.
            definitions[key] = (schema, .null)
            let written = describe(schema, direction)
            definitions[key] = (schema, isNullable ? written.orNull : written)
        }
        return .reference(to: key, in: "schemas")
    }

    private mutating func describe(_ schema: JSONSchema, _ direction: Direction) -> JSONValue {
        switch schema {
        case .boolean: return .members(("type", .string("boolean")))
        case .integer(let range): return Self.integer(range)
        case .fraction:
            return .members(
                ("type", .string("number")), ("minimum", .integer(0)), ("maximum", .integer(1)))
        case .number: return .members(("type", .string("number")))
        case .text(let text): return text.keywords
        case .choice(let names):
            return .members(("type", .string("string")), ("enum", .strings(names)))
        case .array(let element, let count):
            return .members(
                ("type", .string("array")), ("items", write(element, direction)),
                ("minItems", count.lowerBound > 0 ? .integer(count.lowerBound) : nil),
                ("maxItems", .integer(count.upperBound)))
        case .object(let properties): return object(properties, direction)
        case .map(let values):
            return .members(
                ("type", .string("object")), ("additionalProperties", write(values, direction)))
        case .either(let schemas):
            if schemas.isEmpty { return .members() }
            return .members(("anyOf", .array(schemas.map { write($0, direction) })))
        case .nullable(let inner): return writeNullable(inner, direction)
        case .named: return write(schema, direction)
        }
    }

    private static func integer(_ range: ClosedRange<Int>) -> JSONValue {
        .members(
            ("type", .string("integer")), ("format", .string("int64")),
            ("minimum", range.lowerBound == .min ? nil : .integer(range.lowerBound)),
            ("maximum", range.upperBound == .max ? nil : .integer(range.upperBound)))
    }

    private mutating func object(
        _ properties: [JSONSchema.Property], _ direction: Direction
    ) -> JSONValue {
        var members: [(String, JSONValue)] = []
        var required: [String] = []
        for property in properties {
            let isNullable = direction == .request && property.presence != .required
            var schema =
                isNullable
                ? writeNullable(property.schema, direction) : write(property.schema, direction)
            switch property.presence {
            case .required: required.append(property.name)
            case .optional: break
            case .defaulted(let value):
                if direction == .response { required.append(property.name) }
                if direction == .request { schema = schema.adding(("default", value)) }
            }
            members.append((property.name, schema))
        }
        return .members(
            ("type", .string("object")),
            ("properties", members.isEmpty ? nil : .members(members)),
            ("required", required.isEmpty ? nil : .strings(required)),
            ("additionalProperties", direction == .request ? .boolean(false) : nil))
    }

    /// Collects the names of the schema and of those inside it, if they depend on the direction.
    private static func collect(_ schema: JSONSchema, _ names: inout Set<String>) {
        switch schema {
        case .boolean, .integer, .fraction, .number, .text, .choice: break
        case .array(let element, _): collect(element, &names)
        case .object(let properties):
            for property in properties { collect(property.schema, &names) }
        case .either(let schemas): for schema in schemas { collect(schema, &names) }
        case .map(let inner), .nullable(let inner): collect(inner, &names)
        case .named(let name, let inner):
            switch inner {
            case .boolean, .integer, .fraction, .number, .text, .choice: return
            default: break
            }
            if names.insert(name).inserted { collect(inner, &names) }
        }
    }
}

extension JSONValue {
    /// This schema, which also accepts `null`.
    fileprivate var orNull: JSONValue {
        let null = JSONValue.string("null")
        guard let type = self["type"]?.text else {
            guard let choices = self["anyOf"]?.items else { return self }
            return .members(("anyOf", .array(choices + [.members(("type", null))])))
        }
        return .object(
            members.map { member in
                switch member.name {
                case "type": Member(name: "type", value: .array([.string(type), null]))
                case "enum": Member(name: "enum", value: .array(member.value.items + [.null]))
                default: member
                }
            })
    }
}
