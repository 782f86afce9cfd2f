import ArticleAPI

/// A value in a description, and where it is.
struct SchemaNode: Sendable {
    let value: JSONValue
    let path: JSONPath

    init(_ value: JSONValue, at path: JSONPath = JSONPath()) {
        self.value = value
        self.path = path
    }

    /// The member of an object; `nil` if there is none.
    subscript(_ name: String) -> SchemaNode? {
        guard case .object(let members) = value else { return nil }
        return members.first { $0.name == name }.map { member($0) }
    }

    /// The members of an object, in their order.
    var members: [(name: String, place: SchemaNode)] {
        guard case .object(let members) = value else { return [] }
        return members.map { ($0.name, member($0)) }
    }

    private func member(_ member: JSONValue.Member) -> SchemaNode {
        SchemaNode(member.value, at: JSONPath(path.steps + [.name(member.name)]))
    }

    /// The items of an array.
    var items: [SchemaNode] {
        guard case .array(let items) = value else { return [] }
        return items.enumerated().map { index, item in
            SchemaNode(item, at: JSONPath(path.steps + [.index(index)]))
        }
    }

    var text: String? { if case .string(let text) = value { text } else { nil } }

    var isTrue: Bool { value == .boolean(true) }

    var integer: Int? {
        guard case .number(let number) = value else { return nil }
        return number.integer.flatMap { Int(exactly: $0) }
    }

    /// The text of a member.
    func text(_ name: String) -> String? { self[name]?.text }

    func finding(_ message: String) -> Finding { Finding(pointer: path.pointer, message: message) }
}

/// A description of an API in OpenAPI 3.0 or 3.1, with its components.
struct Document: Sendable {
    let root: SchemaNode
    private let components: [String: [String: SchemaNode]]
    /// The names of the schemas, in their order.
    let schemaNames: [String]

    init(_ value: JSONValue) {
        root = SchemaNode(value)
        let sections = root["components"]?.members ?? []
        components = Dictionary(
            sections.map { section in
                (
                    section.name,
                    Dictionary(
                        section.place.members.map { ($0.name, $0.place) }, uniquingKeysWith: { $1 })
                )
            }, uniquingKeysWith: { $1 })
        schemaNames = root["components"]?["schemas"]?.members.map(\.name) ?? []
    }

    func schema(_ name: String) -> SchemaNode? { components["schemas"]?[name] }

    /// The name of the component that a reference names; `nil` for other references.
    func component(_ reference: String, in section: String) -> String? {
        let prefix = "#/components/\(section)/"
        guard reference.hasPrefix(prefix) else { return nil }
        let name = Self.unescaped(reference.dropFirst(prefix.count))
        return components[section]?[name] == nil ? nil : name
    }

    /// The place that a reference leads to within the components, through other references; `nil`
    /// if there is none.
    func resolved(_ place: SchemaNode, in section: String) -> SchemaNode? {
        var place = place
        for _ in 0..<GenerationLimits.depth {
            guard let reference = place.text("$ref") else { return place }
            guard let target = target(reference, in: section) else { return nil }
            place = target
        }
        return nil
    }

    /// The place within a component that a reference names, such as
    /// `#/components/schemas/Pet/properties/a`.
    func target(_ reference: String, in section: String) -> SchemaNode? {
        let prefix = "#/components/\(section)/"
        guard reference.hasPrefix(prefix) else { return nil }
        let steps = reference.dropFirst(prefix.count)
            .split(separator: "/", omittingEmptySubsequences: false)
        guard let first = steps.first, steps.count <= GenerationLimits.depth else { return nil }
        var place = components[section]?[Self.unescaped(first)]
        for step in steps.dropFirst() {
            let name = Self.unescaped(step)
            if let index = Int(name), let items = place?.items, items.indices.contains(index) {
                place = items[index]
            } else {
                place = place?[name]
            }
        }
        return place
    }

    /// One step of a reference: a JSON pointer (RFC 6901) in a URI's fragment.
    private static func unescaped(_ step: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(step.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), rest.count >= 2, let value = UInt8(digits, radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self).replacing("~1", with: "/")
            .replacing("~0", with: "~")
    }
}
