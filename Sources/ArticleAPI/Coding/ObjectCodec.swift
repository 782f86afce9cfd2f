/// The attributes of a model as a JSON object, in their order on the wire.
///
/// One line for each attribute defines how it is read, written and checked, so that the directions
/// cannot diverge: `ObjectCodec(ArticleTag.init, .required("key", \.key, …), .required("name",
/// \.name, …))`. See ``JSONModel``.
public struct ObjectCodec<Model>: Sendable {
    package let properties: [JSONSchema.Property]
    let fields: [FieldNames]
    // Iterating over arrays is faster than over a pack of fields.
    let writes: [@Sendable (Model, FieldPlan?, inout JSONWriter) -> Void]
    private let checks: [@Sendable (Model, inout JSONReader) -> Void]
    private let plans: [@Sendable (FieldSelection) -> FieldPlan?]
    private let readFields: @Sendable ([JSONValue?], inout JSONReader) -> Model?
    private let scanFields: @Sendable (inout JSONParser, inout MemberScanner) -> Model?
    let names: MemberNames
    /// A handwritten encoder of all attributes.
    var writeAttributes: AttributeWrite?
    private let schemaName: String?

    /// - Parameters:
    ///   - name: The name of the object's schema in descriptions of the API; `nil` for none.
    ///   - make: Makes the model from the attributes' values, in the order of the fields.
    ///   - field: The attributes.
    public init<each Value>(
        named name: String? = nil, _ make: @escaping @Sendable (repeat each Value) -> Model,
        _ field: repeat Field<Model, each Value>
    ) {
        var attributes: [Attribute] = []
        repeat attributes.append((each field).attribute)
        let reads = (repeat (each field).read)
        self.init(
            name, attributes,
            read: { values, reader in
                var next = 0
                let results = (repeat (each reads)(Self.take(values, &next), &reader))
                do { return make(repeat try required(each results)) } catch { return nil }
            },
            scan: Self.scanning(make, repeat (each field).scan))
    }

    // Not specialized, like the members below: specializing it for each model would take a fifth of
    // the target's build. Models of which a response has many are scanned by hand.
    @_semantics("optimize.sil.specialize.generic.never")
    private static func scanning<each Value>(
        _ make: @escaping @Sendable (repeat each Value) -> Model,
        _ scan: repeat @escaping FieldScan<each Value>
    ) -> @Sendable (inout JSONParser, inout MemberScanner) -> Model? {
        let scanners = (repeat FieldScanner(each scan))
        var kept: [any AnyObject & Sendable] = []
        for scanner in repeat each scanners { kept.append(scanner) }
        let uncounted = (repeat UnmanagedFieldScanner(each scanners))
        return { [kept] parser, members in
            defer { withExtendedLifetime(kept) {} }
            do {
                return make(repeat try (each uncounted).scan(&parser, &members))
            } catch { return nil }
        }
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private init(
        _ name: String?, _ attributes: [Attribute],
        read: @escaping @Sendable ([JSONValue?], inout JSONReader) -> Model?,
        scan: @escaping @Sendable (inout JSONParser, inout MemberScanner) -> Model?
    ) {
        schemaName = name
        properties = attributes.map(\.property)
        fields = attributes.map(\.names)
        writes = attributes.map(\.write)
        checks = attributes.map(\.check)
        plans = attributes.map(\.plan)
        names = MemberNames(attributes.map { ($0.names.name, $0.written) })
        readFields = read
        scanFields = scan
    }

    /// A field without the type of its value.
    struct Attribute {
        let property: JSONSchema.Property
        let names: FieldNames
        let write: @Sendable (Model, FieldPlan?, inout JSONWriter) -> Void
        let written: [UInt8]
        let check: @Sendable (Model, inout JSONReader) -> Void
        let plan: @Sendable (FieldSelection) -> FieldPlan?
    }

    package var schema: JSONSchema {
        schemaName.map { .named($0, .object(properties)) } ?? .object(properties)
    }

    /// Writes the model as a JSON object; a plan selects attributes.
    func write(_ model: Model, _ plan: FieldPlan? = nil, to writer: inout JSONWriter) {
        writer.object { writer in
            guard let plan else {
                for write in writes { write(model, nil, &writer) }
                return
            }
            for place in writes.indices {
                switch plan.choices[place] {
                case .skip: continue
                case .all: writes[place](model, nil, &writer)
                case .some(let inner): writes[place](model, inner, &writer)
                }
            }
        }
    }

    /// Reads a JSON object; reports every fault and returns `nil` if there are any.
    @_semantics("optimize.sil.specialize.generic.never")
    func read(_ value: JSONValue, _ reader: inout JSONReader) -> Model? {
        guard case .object(let members) = value else {
            reader.report(.invalid(expected: "an object", found: value.kind))
            return nil
        }
        var values = [JSONValue?](repeating: nil, count: properties.count)
        var next = 0
        for member in members {
            // Members usually come in our own order, and then no name needs to be hashed.
            let isNext = next < properties.count && properties[next].name == member.name
            if let position = isNext ? next : names.position(of: member.name) {
                values[position] = member.value
                next = position + 1
            } else if reader.isStrict {
                reader.reading(.name(member.name.excerpt)) { $0.report(.unknown) }
            }
        }
        return readFields(values, &reader)
    }

    /// Reads a JSON object directly from the text, as a client; `nil` if only `read` can do so.
    func scan(_ parser: inout JSONParser) -> Model? {
        var members = MemberScanner(names)
        guard members.open(&parser), let model = scanFields(&parser, &members),
            members.close(&parser)
        else { return nil }
        return model
    }

    /// Reads a JSON object as `scan` does, with a handwritten decoder of its members, which reads
    /// them in the order of the fields.
    @inline(__always)
    func scan(
        _ parser: inout JSONParser,
        _ make: (inout JSONParser, inout MemberScanner) throws(ReportedInvalidPart) -> Model
    ) -> Model? {
        var members = MemberScanner(names)
        guard members.open(&parser) else { return nil }
        do throws(ReportedInvalidPart) {
            let model = try make(&parser, &members)
            return members.close(&parser) ? model : nil
        } catch { return nil }
    }

    /// Reports the parts of a model made in code that a backend would reject.
    func check(_ model: Model, _ reader: inout JSONReader) {
        for check in checks { check(model, &reader) }
    }

    /// Returns the attributes that a selection writes; the id is always included.
    func plan(_ selection: FieldSelection) -> FieldPlan {
        FieldPlan(
            choices: zip(fields, plans).map { field, plan in
                if field.name == "id" { return .all }
                guard selection.contains(field.name) else { return .skip }
                return selection.inside(field.name).flatMap(plan).map { .some($0) } ?? .all
            })
    }

    private static func take(_ values: [JSONValue?], _ next: inout Int) -> JSONValue? {
        defer { next += 1 }
        return values[next]
    }
}

/// Decodes a field's value directly from the text.
private final class FieldScanner<Value>: Sendable {
    let scan: FieldScan<Value>

    init(_ scan: @escaping FieldScan<Value>) { self.scan = scan }
}

/// A scanner that its codec keeps alive. The pack of a codec's scanners is copied for each object,
/// and neither the copy nor the calls count references.
private struct UnmanagedFieldScanner<Value>: Sendable {
    private let scanner: Unmanaged<FieldScanner<Value>>

    init(_ scanner: FieldScanner<Value>) { self.scanner = .passUnretained(scanner) }

    @inline(__always)
    func scan(_ parser: inout JSONParser, _ members: inout MemberScanner) throws -> Value {
        try scanner._withUnsafeGuaranteedRef { try $0.scan(&parser, &members) }
    }
}

/// Decodes a field's value directly from JSON text, as a client does; throws if only `Field.read`
/// can decode it.
typealias FieldScan<Value> =
    @Sendable (inout JSONParser, inout MemberScanner) throws(ReportedInvalidPart) -> Value

/// One attribute of an object: its name, how the model's value is obtained, and its format. See
/// ``JSONModel``.
public struct Field<Model, Value>: Sendable {
    let property: JSONSchema.Property
    let names: FieldNames
    /// Writes name and value, or nothing if there is no value.
    let write: @Sendable (Model, FieldPlan?, inout JSONWriter) -> Void
    /// Reads the value; the argument is `nil` if the attribute is absent.
    let read: @Sendable (JSONValue?, inout JSONReader) -> Value?
    let scan: FieldScan<Value>
    /// The name as JSON text, with quotation marks and colon.
    let written: [UInt8]
    let check: @Sendable (Model, inout JSONReader) -> Void
    let plan: @Sendable (FieldSelection) -> FieldPlan?

    @_semantics("optimize.sil.specialize.generic.never")
    var attribute: ObjectCodec<Model>.Attribute {
        ObjectCodec.Attribute(
            property: property, names: names, write: write, written: written, check: check,
            plan: plan)
    }
}

extension Field {
    /// An attribute that is always present.
    public static func required(
        _ name: String, _ get: @escaping @Sendable (Model) -> Value, _ format: JSONCodec<Value>
    ) -> Field {
        let written = written(name)
        return Field(
            name, .required, format,
            write: { model, plan, writer in
                writer.name(written: written)
                format.write(get(model), plan, &writer)
            },
            read: reading(format),
            scan: { (parser, members) throws(ReportedInvalidPart) in
                try members.required(&parser, format.scan)
            },
            check: checking(get, format))
    }

    /// An attribute that may be absent or `null`, which reads as `nil`.
    public static func optional<Wrapped>(
        _ name: String, _ get: @escaping @Sendable (Model) -> Value, _ format: JSONCodec<Wrapped>
    ) -> Field where Value == Wrapped? {
        let written = written(name)
        return Field(
            name, .optional, format,
            write: { model, plan, writer in
                guard let value = get(model) else { return }
                writer.name(written: written)
                format.write(value, plan, &writer)
            },
            read: readingOptional(format),
            scan: { (parser, members) throws(ReportedInvalidPart) in
                try members.optional(&parser, format.scan)
            },
            check: checkingOptional(get, format))
    }

    /// An attribute that is always written, and that reads as a default if absent or `null`.
    public static func defaulted(
        _ name: String, to defaultValue: Value, _ get: @escaping @Sendable (Model) -> Value,
        _ format: JSONCodec<Value>
    ) -> Field where Value: Sendable {
        let written = written(name)
        var writer = JSONWriter()
        format.write(defaultValue, nil, &writer)
        guard let value = try? JSONParser.parse(writer.bytes) else {
            preconditionFailure("programmer error: the default of \(name) is not written as JSON")
        }
        return Field(
            name, .defaulted(value), format,
            write: { model, plan, writer in
                writer.name(written: written)
                format.write(get(model), plan, &writer)
            },
            read: { value, reader in
                guard let value, !value.isNull else { return defaultValue }
                return format.read(value, &reader)
            },
            scan: { (parser, members) throws(ReportedInvalidPart) in
                try members.optional(&parser, format.scan) ?? defaultValue
            },
            check: checking(get, format))
    }

    /// An attribute of a merge patch (RFC 7396 §2): absent, `null`, or a value.
    public static func change<Wrapped>(
        _ name: String, _ get: @escaping @Sendable (Model) -> Value, _ format: JSONCodec<Wrapped>
    ) -> Field where Value == Change<Wrapped> {
        let written = written(name)
        let nullable = JSONCodec<Wrapped>(
            schema: .nullable(format.schema), read: format.read, write: format.write)
        return Field(
            name, .optional, nullable,
            write: { model, plan, writer in
                switch get(model) {
                case .keep: break
                case .clear:
                    writer.name(written: written)
                    writer.null()
                case .set(let value):
                    writer.name(written: written)
                    format.write(value, plan, &writer)
                }
            },
            read: { value, reader in
                guard let value else { return .keep }
                if value.isNull { return .clear }
                return format.read(value, &reader).map(Change.set)
            },
            scan: { (parser, members) throws(ReportedInvalidPart) in
                guard members.reaches(&parser) else { return .keep }
                if members.hasNull(&parser) { return .clear }
                return .set(try members.value(&parser, format.scan))
            },
            check: { model, reader in
                if case .set(let value) = get(model) { format.check(value, &reader) }
            })
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private init<Inner>(
        _ name: String, _ presence: JSONSchema.Presence, _ format: JSONCodec<Inner>,
        write: @escaping @Sendable (Model, FieldPlan?, inout JSONWriter) -> Void,
        read: @escaping @Sendable (JSONValue?, inout JSONReader) -> Value?,
        scan: @escaping FieldScan<Value>,
        check: @escaping @Sendable (Model, inout JSONReader) -> Void
    ) {
        self.init(
            property: JSONSchema.Property(
                name: name, schema: format.schema, presence: presence),
            names: FieldNames(name: name, inner: format.fields.map(\.name)),
            write: write,
            read: { value, reader in reader.reading(.name(name)) { read(value, &$0) } },
            scan: scan, written: Self.written(name),
            check: { model, reader in reader.reading(.name(name)) { check(model, &$0) } },
            plan: format.plan)
    }

    // Reading strictly and checking are rare, so these are not specialized for each type.

    @_semantics("optimize.sil.specialize.generic.never")
    private static func reading(
        _ format: JSONCodec<Value>
    ) -> @Sendable (JSONValue?, inout JSONReader) -> Value? {
        { value, reader in
            if let value { return format.read(value, &reader) }
            reader.report(.missing)
            return nil
        }
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private static func readingOptional<Wrapped>(
        _ format: JSONCodec<Wrapped>
    ) -> @Sendable (JSONValue?, inout JSONReader) -> Value? where Value == Wrapped? {
        { value, reader in
            guard let value, !value.isNull else { return .some(nil) }
            return format.read(value, &reader).map(Optional.some)
        }
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private static func checking(
        _ get: @escaping @Sendable (Model) -> Value, _ format: JSONCodec<Value>
    ) -> @Sendable (Model, inout JSONReader) -> Void {
        { model, reader in format.check(get(model), &reader) }
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private static func checkingOptional<Wrapped>(
        _ get: @escaping @Sendable (Model) -> Value, _ format: JSONCodec<Wrapped>
    ) -> @Sendable (Model, inout JSONReader) -> Void where Value == Wrapped? {
        { model, reader in
            if let value = get(model) { format.check(value, &reader) }
        }
    }

    private static func written(_ name: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.string(name)
        return writer.bytes + [UInt8(ascii: ":")]
    }
}
