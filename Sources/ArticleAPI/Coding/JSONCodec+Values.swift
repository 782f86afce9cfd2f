/// Codecs for values that other APIs use, so that their models can be declared like our own.

extension JSONCodec where Value == String {
    /// Any JSON string, unchanged.
    public static var string: JSONCodec { .text(.string) }
}

extension JSONCodec where Value == Int {
    /// Any JSON number without fraction or exponent.
    public static var integer: JSONCodec { .integer(Int.min...Int.max) }
}

extension JSONCodec where Value == Double {
    /// A JSON number. It is read as the nearest value of binary64; numbers outside its range are
    /// rejected, and values that are not finite, which JSON cannot express, are written as `null`.
    public static var number: JSONCodec {
        JSONCodec(
            schema: .number,
            read: { value, reader in
                guard case .number(let number) = value, number.double.isFinite else {
                    reader.report(.invalid(expected: "a number", found: value.kind))
                    return nil
                }
                return number.double
            },
            write: { value, _, writer in writer.number(value) },
            check: { value, reader in
                if !value.isFinite { reader.report(.rejected("is not a finite number")) }
            })
    }
}

extension JSONCodec where Value == JSONValue {
    /// Any JSON value, unchanged.
    public static var anything: JSONCodec {
        JSONCodec(
            schema: .either([]), read: { value, _ in value },
            write: { value, _, writer in value.write(to: &writer) })
    }
}

extension JSONCodec {
    /// A value in another format, or `null`, which is `nil`.
    public static func nullable<Wrapped>(
        _ format: JSONCodec<Wrapped>
    ) -> JSONCodec where Value == Wrapped? {
        JSONCodec(
            schema: .nullable(format.schema),
            read: { value, reader in
                value.isNull ? .some(nil) : format.read(value, &reader).map(Optional.some)
            },
            write: { value, plan, writer in
                if let value { format.write(value, plan, &writer) } else { writer.null() }
            },
            check: { value, reader in
                if let value { format.check(value, &reader) }
            })
    }

    /// A JSON object whose names are data: `{"KRW": 1350.5, "EUR": 0.92}`. Names are written in
    /// their order, so that equal values give the same bytes.
    public static func map<Element>(
        of element: JSONCodec<Element>
    ) -> JSONCodec where Value == [String: Element] {
        JSONCodec(
            schema: .map(of: element.schema),
            read: { value, reader in
                guard case .object(let members) = value else {
                    reader.report(.invalid(expected: "an object", found: value.kind))
                    return nil
                }
                var values: [String: Element] = [:]
                for member in members {
                    values[member.name] = reader.reading(.name(member.name.excerpt)) {
                        element.read(member.value, &$0)
                    }
                }
                return values.count == members.count ? values : nil
            },
            write: { values, _, writer in
                writer.object { writer in
                    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                        writer.name(name)
                        element.write(value, nil, &writer)
                    }
                }
            },
            check: { values, reader in
                for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                    reader.reading(.name(name.excerpt)) { element.check(value, &$0) }
                }
            })
    }

    /// A format that is made when it is first used, for models that contain values of their own
    /// type: `.optional("replies", \.replies, .array(of: .deferred(Note.format), limit: .max))`.
    ///
    /// - Parameter format: must not be needed to make itself. Its schema is any value.
    public static func deferred(
        _ format: @escaping @autoclosure @Sendable () -> JSONCodec
    ) -> JSONCodec {
        JSONCodec(
            schema: .either([]),
            read: { value, reader in format().read(value, &reader) },
            write: { value, plan, writer in format().write(value, plan, &writer) },
            check: { value, reader in format().check(value, &reader) })
    }

    /// The same JSON for values of another type.
    ///
    /// - Parameters:
    ///   - wrap: makes a value of the other type.
    ///   - unwrap: its inverse.
    public func mapped<Wrapper>(
        _ wrap: @escaping @Sendable (Value) -> Wrapper,
        _ unwrap: @escaping @Sendable (Wrapper) -> Value
    ) -> JSONCodec<Wrapper> {
        JSONCodec<Wrapper>(
            schema: schema,
            read: { [read] value, reader in read(value, &reader).map(wrap) },
            scan: { [scan] parser in scan(&parser).map(wrap) },
            write: { [write] value, plan, writer in write(unwrap(value), plan, &writer) },
            check: { [check] value, reader in check(unwrap(value), &reader) },
            fields: fields, plan: plan)
    }
}

/// A value on the heap, so that a model can contain one of its own type.
///
/// Equal if the values are.
///
/// ```swift
/// let parent = Indirect("a value of any size")
/// let count = parent.value.count
/// ```
public struct Indirect<Value: Sendable>: Sendable {
    private indirect enum Storage: Sendable {
        case value(Value)
    }

    private let storage: Storage

    public init(_ value: Value) { storage = .value(value) }

    public var value: Value {
        switch storage {
        case .value(let value): value
        }
    }
}

extension Indirect: Equatable where Value: Equatable {
    public static func == (left: Indirect, right: Indirect) -> Bool { left.value == right.value }
}

extension Indirect: Hashable where Value: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension JSONCodec {
    /// A model within one of the same type. The format is made when it is first used.
    public static func indirect<Model>(
        _ format: @escaping @autoclosure @Sendable () -> JSONCodec<Model>
    ) -> JSONCodec where Value == Indirect<Model> {
        JSONCodec<Model>.deferred(format()).mapped({ Indirect($0) }, { $0.value })
    }
}
