/// Decodes a field's value directly from JSON text, as a client does; throws if only `Field.read`
/// can decode it.
typealias FieldScan<Value> =
    @Sendable (inout JSONParser, inout MemberScanner) throws(UnreadPart) -> Value

/// One attribute of an object: its name, how the model's value is obtained, and its format.
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
}

extension Field {
    /// An attribute that is always present.
    public static func required(
        _ name: String, _ get: @escaping @Sendable (Model) -> Value, _ format: JSONCodec<Value>
    ) -> Field {
        let written = written(name)
        return Field(
            name, isRequired: true, format,
            write: { model, plan, writer in
                writer.name(written: written)
                format.write(get(model), plan, &writer)
            },
            read: { value, reader in
                if let value { return format.read(value, &reader) }
                reader.report(.missing)
                return nil
            },
            scan: { (parser, members) throws(UnreadPart) in
                guard members.reaches(&parser) else { throw UnreadPart() }
                return try members.value(&parser, format.scan)
            },
            check: { model, reader in format.check(get(model), &reader) })
    }

    /// An attribute that may be absent or `null`, which reads as `nil`.
    public static func optional<Wrapped>(
        _ name: String, _ get: @escaping @Sendable (Model) -> Value, _ format: JSONCodec<Wrapped>
    ) -> Field where Value == Wrapped? {
        let written = written(name)
        return Field(
            name, isRequired: false, format,
            write: { model, plan, writer in
                guard let value = get(model) else { return }
                writer.name(written: written)
                format.write(value, plan, &writer)
            },
            read: { value, reader in
                guard let value, !value.isNull else { return .some(nil) }
                return format.read(value, &reader).map(Optional.some)
            },
            scan: { (parser, members) throws(UnreadPart) in
                guard members.reaches(&parser), !members.hasNull(&parser) else { return nil }
                return try members.value(&parser, format.scan)
            },
            check: { model, reader in
                if let value = get(model) { format.check(value, &reader) }
            })
    }

    /// An attribute that is always written, and that reads as a default if absent or `null`.
    public static func defaulted(
        _ name: String, to defaultValue: Value, _ get: @escaping @Sendable (Model) -> Value,
        _ format: JSONCodec<Value>
    ) -> Field where Value: Sendable {
        let written = written(name)
        return Field(
            name, isRequired: false, format,
            write: { model, plan, writer in
                writer.name(written: written)
                format.write(get(model), plan, &writer)
            },
            read: { value, reader in
                guard let value, !value.isNull else { return defaultValue }
                return format.read(value, &reader)
            },
            scan: { (parser, members) throws(UnreadPart) in
                guard members.reaches(&parser), !members.hasNull(&parser) else {
                    return defaultValue
                }
                return try members.value(&parser, format.scan)
            },
            check: { model, reader in format.check(get(model), &reader) })
    }

    /// An attribute of a merge patch (RFC 7396 §2): absent, `null`, or a value.
    public static func change<Wrapped>(
        _ name: String, _ get: @escaping @Sendable (Model) -> Value, _ format: JSONCodec<Wrapped>
    ) -> Field where Value == Change<Wrapped> {
        let written = written(name)
        let nullable = JSONCodec<Wrapped>(
            schema: .nullable(format.schema), read: format.read, write: format.write)
        return Field(
            name, isRequired: false, nullable,
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
            scan: { (parser, members) throws(UnreadPart) in
                guard members.reaches(&parser) else { return .keep }
                if members.hasNull(&parser) { return .clear }
                return .set(try members.value(&parser, format.scan))
            },
            check: { model, reader in
                if case .set(let value) = get(model) { format.check(value, &reader) }
            })
    }

    private init<Inner>(
        _ name: String, isRequired: Bool, _ format: JSONCodec<Inner>,
        write: @escaping @Sendable (Model, FieldPlan?, inout JSONWriter) -> Void,
        read: @escaping @Sendable (JSONValue?, inout JSONReader) -> Value?,
        scan: @escaping FieldScan<Value>,
        check: @escaping @Sendable (Model, inout JSONReader) -> Void
    ) {
        self.init(
            property: JSONSchema.Property(
                name: name, schema: format.schema, isRequired: isRequired),
            names: FieldNames(name: name, inner: format.fields.map(\.name)),
            write: write,
            read: { value, reader in reader.reading(.name(name)) { read(value, &$0) } },
            scan: scan, written: Self.written(name),
            check: { model, reader in reader.reading(.name(name)) { check(model, &$0) } },
            plan: format.plan)
    }

    private static func written(_ name: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.string(name)
        return writer.bytes + [UInt8(ascii: ":")]
    }
}
