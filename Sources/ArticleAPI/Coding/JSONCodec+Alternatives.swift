/// One of the forms that a JSON value may have, with the enum's case for it. See
/// ``JSONRepresentable``.
public struct JSONAlternative<Choice>: Sendable {
    /// The value of the tag that selects this form; empty if there are no tags.
    let tag: String
    let schema: JSONSchema
    let read: @Sendable (JSONValue, inout JSONReader) -> Choice?
    /// Writes the choice if it has this form; false if it has another one.
    let write: @Sendable (Choice, FieldPlan?, inout JSONWriter) -> Bool
    let check: @Sendable (Choice, inout JSONReader) -> Bool

    /// - Parameters:
    ///   - tag: the value of the tag that selects this form, where the forms are told apart by one.
    ///   - format: the form.
    ///   - wrap: makes the choice, usually a case with a payload: `Shape.circle`.
    ///   - unwrap: the payload; `nil` if the choice is another one.
    public init<Payload>(
        tag: String = "", _ format: JSONCodec<Payload>,
        _ wrap: @escaping @Sendable (Payload) -> Choice,
        _ unwrap: @escaping @Sendable (Choice) -> Payload?
    ) {
        self.tag = tag
        schema = format.schema
        read = { value, reader in format.read(value, &reader).map(wrap) }
        write = { choice, plan, writer in
            guard let payload = unwrap(choice) else { return false }
            format.write(payload, plan, &writer)
            return true
        }
        check = { choice, reader in
            guard let payload = unwrap(choice) else { return false }
            format.check(payload, &reader)
            return true
        }
    }
}

extension JSONCodec {
    /// One of several forms of an object, which one of its attributes tells apart:
    /// `{"kind": "circle", "radius": 2}`.
    ///
    /// - Parameters:
    ///   - name: the attribute that contains the tag.
    ///   - unknown: the form of values with other tags.
    ///   - alternatives: the forms, each with its tag.
    public static func tagged(
        by name: String, otherwise unknown: JSONAlternative<Value>,
        _ alternatives: JSONAlternative<Value>...
    ) -> JSONCodec {
        oneOf(alternatives + [unknown]) { value in
            guard case .object(let members) = value,
                case .string(let tag)? = members.first(where: { $0.name == name })?.value
            else { return [unknown] }
            return [alternatives.first { $0.tag == tag } ?? unknown]
        }
    }

    /// One of several forms: the first one in which the value can be read.
    public static func firstOf(_ alternatives: JSONAlternative<Value>...) -> JSONCodec {
        oneOf(alternatives) { _ in alternatives }
    }

    /// - Parameter candidates: the forms that a value may have, most likely first.
    private static func oneOf(
        _ alternatives: [JSONAlternative<Value>],
        _ candidates: @escaping @Sendable (JSONValue) -> [JSONAlternative<Value>]
    ) -> JSONCodec {
        JSONCodec(
            schema: .either(alternatives.map(\.schema)),
            read: { value, reader in
                let candidates = candidates(value)
                // A single form reports the fault of the value itself.
                if candidates.count == 1 { return candidates[0].read(value, &reader) }
                for candidate in candidates {
                    var attempt = JSONReader(reader.attitude)
                    if let choice = candidate.read(value, &attempt), attempt.faults.isEmpty {
                        return choice
                    }
                }
                reader.report(.invalid(expected: "one of the known forms", found: value.kind))
                return nil
            },
            write: { choice, plan, writer in
                for alternative in alternatives where alternative.write(choice, plan, &writer) {
                    return
                }
                writer.null()
            },
            check: { choice, reader in
                for alternative in alternatives where alternative.check(choice, &reader) { return }
            })
    }
}
