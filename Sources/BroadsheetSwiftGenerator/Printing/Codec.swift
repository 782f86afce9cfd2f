/// The codecs of shapes, as expressions.
struct CodecWriter {
    /// Returns true if a type is needed for its own codec, so that its codec has to be made later.
    let isRecursive: (TypeName) -> Bool

    /// The codec of the values in JSON.
    func json(_ shape: Shape) -> Expression {
        switch shape {
        case .boolean: return .text(".boolean")
        case .integer(let range): return .text(integer(range))
        case .number: return .text(".number")
        case .text(.timestamp): return .text(".timestamp")
        case .text(.string): return .text(".string")
        case .text(let form): return .text(".text(\(text(form)))")
        case .anything: return .text(".anything")
        case .list(let item):
            return .call(
                ".array", [.init("of", json(item)), .init("limit", .text(".max"))])
        case .map(let value): return .call(".map", [.init("of", json(value))])
        case .nullable(let inner): return .call(".nullable", [.init("", json(inner.present))])
        case .named(let name):
            guard isRecursive(name) else { return .text("\(name).format") }
            return .text(".deferred(\(name).format)")
        }
    }

    /// The codec of a property, without the null that its presence stands for.
    func json(_ property: Property) -> Expression {
        if property.isIndirect, let name = property.shape.inlineName {
            return wrapped(property, .text(".indirect(\(name).format)"))
        }
        return wrapped(property, json(property.shape.present))
    }

    private func wrapped(_ property: Property, _ codec: Expression) -> Expression {
        guard case .nullable = property.shape, property.presence == .required else { return codec }
        return .call(".nullable", [.init("", codec)])
    }

    /// The codec of the values as text, in paths, queries and header fields; `nil` for shapes that
    /// have none.
    func text(_ shape: Shape) -> Expression? {
        switch shape {
        case .boolean: .text(".boolean")
        case .integer(let range): .text(integer(range))
        case .number: .text(".number")
        case .text(let form): .text(text(form))
        case .named(let name): .text("\(name).text")
        case .list(let item):
            text(item).map { .call(".list", [.init("of", $0)]) }
        case .anything, .map, .nullable: nil
        }
    }

    private func text(_ form: TextForm) -> String {
        switch form {
        case .timestamp: ".timestamp"
        case .day: ".day"
        case .url: ".url"
        case .uuid: ".uuid"
        case .bytes: ".base64"
        case .string: ".string"
        }
    }

    private func integer(_ range: ClosedRange<Int>) -> String {
        guard range != Int.min...Int.max else { return ".integer" }
        func bound(_ value: Int) -> String {
            value == .min ? "Int.min" : value == .max ? "Int.max" : String(value)
        }
        return ".integer(\(bound(range.lowerBound))...\(bound(range.upperBound)))"
    }
}
