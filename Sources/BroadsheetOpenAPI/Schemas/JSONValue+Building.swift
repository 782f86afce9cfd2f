import ArticleAPI

/// JSON that is made and examined in code.
extension JSONValue {
    /// An object with these members, in this order; those without a value are left out.
    static func members(_ members: (String, JSONValue?)...) -> JSONValue {
        object(
            members.compactMap { name, value in
                value.map { Member(name: name, value: $0) }
            })
    }

    /// An object with these members, in this order.
    static func members(_ members: [(String, JSONValue)]) -> JSONValue {
        object(members.map { Member(name: $0.0, value: $0.1) })
    }

    static func integer(_ value: Int) -> JSONValue { number(JSONNumber(text: "\(value)")) }

    static func strings(_ texts: [String]) -> JSONValue { array(texts.map(JSONValue.string)) }

    /// A reference to a component of the description (OpenAPI 3.1 §4.8.23).
    static func reference(to name: String, in list: String) -> JSONValue {
        members(("$ref", .string("#/components/\(list)/\(name)")))
    }

    /// The members of an object; none of any other value.
    var members: [Member] { if case .object(let members) = self { members } else { [] } }

    /// The items of an array; none of any other value.
    var items: [JSONValue] { if case .array(let items) = self { items } else { [] } }

    /// The text of a string.
    var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The member of an object with this name.
    subscript(name: String) -> JSONValue? { members.first { $0.name == name }?.value }

    /// The object with these members after its own.
    func adding(_ added: (String, JSONValue?)...) -> JSONValue {
        .object(
            members
                + added.compactMap { name, value in
                    value.map { Member(name: name, value: $0) }
                })
    }
}
