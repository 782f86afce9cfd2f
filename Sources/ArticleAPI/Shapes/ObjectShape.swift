/// The attributes of a model as a JSON object, in their order on the wire.
///
/// One line for each attribute says how it is read, written and checked, so that the directions
/// cannot drift: `ObjectShape(Tag.init, .required("key", \.key, …), .required("name", \.name, …))`.
public struct ObjectShape<Model>: Sendable {
    public let properties: [Schema.Property]
    let fields: [FieldNames]
    private let writeFields: @Sendable (Model, FieldPlan?, inout JSONWriter) -> Void
    private let readFields: @Sendable ([JSONValue?], inout JSONReader) -> Model?
    private let checkFields: @Sendable (Model, inout JSONReader) -> Void
    private let plans: @Sendable (FieldSelection) -> FieldPlan
    private let positions: [String: Int]

    /// - Parameters:
    ///   - make: The model of all attributes' values, in the order of the fields.
    ///   - field: The attributes.
    public init<each Value>(
        _ make: @escaping @Sendable (repeat each Value) -> Model,
        _ field: repeat Field<Model, each Value>
    ) {
        var properties: [Schema.Property] = []
        var fields: [FieldNames] = []
        for field in repeat each field {
            properties.append(field.property)
            fields.append(field.names)
        }
        self.properties = properties
        self.fields = fields
        positions = Dictionary(
            properties.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { $1 })
        writeFields = { model, plan, writer in
            guard let plan else {
                repeat (each field).write(model, nil, &writer)
                return
            }
            var index = 0
            for field in repeat each field {
                switch plan.choices[index] {
                case .skip: break
                case .all: field.write(model, nil, &writer)
                case .some(let inner): field.write(model, inner, &writer)
                }
                index += 1
            }
        }
        readFields = { values, reader in
            var next = 0
            let results = (repeat (each field).read(Self.take(values, &next), &reader))
            do { return make(repeat try Self.value(of: each results)) } catch { return nil }
        }
        checkFields = { model, reader in repeat (each field).check(model, &reader) }
        plans = { selection in
            var choices: [FieldPlan.Choice] = []
            for field in repeat each field {
                let name = field.names.name
                guard name == "id" || selection.contains(name) else {
                    choices.append(.skip)
                    continue
                }
                let inner = selection.inside(name).flatMap(field.plan)
                choices.append(name == "id" ? .all : inner.map(FieldPlan.Choice.some) ?? .all)
            }
            return FieldPlan(choices: choices)
        }
    }

    public var schema: Schema { .object(properties) }

    /// Writes the model as a JSON object; a plan leaves attributes out.
    func write(_ model: Model, _ plan: FieldPlan? = nil, to writer: inout JSONWriter) {
        writer.object { writeFields(model, plan, &$0) }
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
    func check(_ model: Model, _ reader: inout JSONReader) { checkFields(model, &reader) }

    func plan(_ selection: FieldSelection) -> FieldPlan { plans(selection) }

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
