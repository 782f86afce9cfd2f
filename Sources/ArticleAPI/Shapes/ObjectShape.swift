/// The attributes of a model as a JSON object, in their order on the wire.
///
/// One line for each attribute says how it is read, written and checked, so that the directions
/// cannot drift: `ObjectShape(Tag.init, .required("key", \.key, …), .required("name", \.name, …))`.
public struct ObjectShape<Model>: Sendable {
    public let properties: [Schema.Property]
    let fields: [FieldNames]
    private let parts: [Part]
    private let readFields: @Sendable ([JSONValue?], inout JSONReader) -> Model?
    private let positions: [String: Int]

    /// A field without its type: a plain array of these is walked five times faster than a pack.
    private struct Part: Sendable {
        let write: @Sendable (Model, FieldPlan?, inout JSONWriter) -> Void
        let check: @Sendable (Model, inout JSONReader) -> Void
        let plan: @Sendable (FieldSelection) -> FieldPlan?
    }

    /// - Parameters:
    ///   - make: The model of all attributes' values, in the order of the fields.
    ///   - field: The attributes.
    public init<each Value>(
        _ make: @escaping @Sendable (repeat each Value) -> Model,
        _ field: repeat Field<Model, each Value>
    ) {
        var properties: [Schema.Property] = []
        var fields: [FieldNames] = []
        var parts: [Part] = []
        for field in repeat each field {
            properties.append(field.property)
            fields.append(field.names)
            parts.append(Part(write: field.write, check: field.check, plan: field.plan))
        }
        self.properties = properties
        self.fields = fields
        self.parts = parts
        positions = Dictionary(
            properties.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { $1 })
        let reads = (repeat (each field).read)
        readFields = { values, reader in
            var next = 0
            let results = (repeat (each reads)(Self.take(values, &next), &reader))
            do { return make(repeat try Self.value(of: each results)) } catch { return nil }
        }
    }

    public var schema: Schema { .object(properties) }

    /// Writes the model as a JSON object; a plan leaves attributes out.
    func write(_ model: Model, _ plan: FieldPlan? = nil, to writer: inout JSONWriter) {
        writer.object { writer in
            for index in parts.indices {
                switch plan?.choices[index] {
                case .skip?: continue
                case .all?, nil: parts[index].write(model, nil, &writer)
                case .some(let inner)?: parts[index].write(model, inner, &writer)
                }
            }
        }
    }

    /// Reads a JSON object; `nil` if it cannot, with every fault reported.
    func read(_ value: JSONValue, _ reader: inout JSONReader) -> Model? {
        guard case .object(let members) = value else {
            reader.report(.invalid(expected: "an object", found: value.kind))
            return nil
        }
        var values = [JSONValue?](repeating: nil, count: properties.count)
        for member in members {
            if let position = positions[member.name] {
                values[position] = member.value
            } else if reader.isStrict {
                reader.reading(.name(member.name)) { $0.report(.unknown) }
            }
        }
        return readFields(values, &reader)
    }

    /// Reports what a backend would not accept of a model made in code.
    func check(_ model: Model, _ reader: inout JSONReader) {
        for part in parts { part.check(model, &reader) }
    }

    /// Which attributes a selection writes; the id always comes along.
    func plan(_ selection: FieldSelection) -> FieldPlan {
        FieldPlan(
            choices: zip(fields, parts).map { field, part in
                if field.name == "id" { return .all }
                guard selection.contains(field.name) else { return .skip }
                return selection.inside(field.name).flatMap(part.plan).map { .some($0) } ?? .all
            })
    }

    private static func take(_ values: [JSONValue?], _ next: inout Int) -> JSONValue? {
        defer { next += 1 }
        return values[next]
    }

    private struct Missing: Error {}

    private static func value<Value>(of result: Value?) throws(Missing) -> Value {
        guard let result else { throw Missing() }
        return result
    }
}
