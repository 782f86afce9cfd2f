import ArticleAPI

/// The facts about a schema that are known without reading it as a type.
struct SchemaFacts {
    let document: Document

    /// The schema that a reference leads to, or the schema itself.
    func target(_ place: SchemaNode) -> SchemaNode {
        document.resolved(place, in: "schemas") ?? place
    }

    /// The names of the types in `type`, without `null`; inferred if there are none.
    func types(_ place: SchemaNode) -> [String] {
        if let type = place["type"] {
            let names = type.text.map { [$0] } ?? type.items.compactMap(\.text)
            return names.filter { $0 != "null" }
        }
        if place["properties"] != nil || place["additionalProperties"] != nil { return ["object"] }
        if place["items"] != nil { return ["array"] }
        if let values = place["enum"]?.items ?? place["const"].map({ [$0] }) {
            let kinds = Set(values.compactMap { Self.kind($0.value) })
            return kinds.sorted()
        }
        return []
    }

    private static func kind(_ value: JSONValue) -> String? {
        switch value {
        case .null: nil
        case .boolean: "boolean"
        case .number(let number): number.integer == nil ? "number" : "integer"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    /// Returns true if `null` is a value.
    func isNullable(_ place: SchemaNode) -> Bool {
        if place["nullable"]?.isTrue == true { return true }
        if place["type"]?.items.contains(where: { $0.text == "null" }) == true { return true }
        if place["enum"]?.items.contains(where: { $0.value == .null }) == true,
            place["type"] == nil
        {
            return true
        }
        return ["oneOf", "anyOf"].contains { name in
            place[name]?.items.contains { isNull($0) } == true
        }
    }

    private func isNull(_ place: SchemaNode) -> Bool {
        place.text("type") == "null" || place["const"]?.value == .null
    }

    /// The alternatives of `oneOf` or `anyOf`, without `null`.
    func alternatives(_ place: SchemaNode) -> [SchemaNode] {
        let list = place["oneOf"] ?? place["anyOf"]
        return list?.items.filter { !isNull($0) } ?? []
    }

    /// The texts of an `enum` or a `const` of texts; `nil` for other schemas.
    func choices(_ place: SchemaNode) -> [SchemaNode]? {
        guard let values = place["enum"]?.items ?? place["const"].map({ [$0] }) else { return nil }
        let present = values.filter { $0.value != .null }
        return !present.isEmpty && present.allSatisfy { $0.text != nil } ? present : nil
    }

    /// Returns the schema that `allOf` only wraps, usually to add a description to a reference;
    /// otherwise `nil`.
    func wrapped(_ place: SchemaNode) -> SchemaNode? {
        guard let parts = place["allOf"]?.items, parts.count == 1, place["properties"] == nil else {
            return nil
        }
        return parts[0]
    }

    /// The kind of type that a schema becomes.
    enum Kind {
        case object, choice, union
    }

    /// `nil` for schemas whose values have a type that needs no declaration.
    func kind(_ place: SchemaNode) -> Kind? {
        guard place["$ref"] == nil else { return nil }
        if choices(place) != nil { return .choice }
        if place["oneOf"] != nil || place["anyOf"] != nil {
            return isUnion(place) ? .union : nil
        }
        if place["allOf"] != nil { return wrapped(place) == nil ? .object : nil }
        let types = types(place)
        if types.count > 1 { return Set(types) == ["integer", "number"] ? nil : .union }
        return types == ["object"] && place["properties"]?.members.isEmpty == false ? .object : nil
    }

    /// Returns true if the alternatives are not all texts, or all numbers.
    private func isUnion(_ place: SchemaNode) -> Bool {
        let alternatives = alternatives(place)
        guard alternatives.count > 1 else { return false }
        return Set(alternatives.map { profile($0).kind }).count > 1
            || ![.text, .number].contains(profile(alternatives[0]).kind)
    }

    /// The features by which a value of a schema can be recognised.
    struct Profile {
        enum Kind: Hashable {
            case boolean, number, text, list, object, unclear
        }

        var kind: Kind
        var properties: Set<String> = []
        var required: Set<String> = []
    }

    func profile(_ place: SchemaNode) -> Profile {
        var seen: Set<String> = []
        return profile(place, &seen)
    }

    /// - Parameter seen: the pointers of the schemas that were looked at; each is looked at once,
    ///   which bounds the work.
    private func profile(_ place: SchemaNode, _ seen: inout Set<String>) -> Profile {
        let place = target(place)
        guard seen.insert(place.path.pointer).inserted else { return Profile(kind: .unclear) }
        if let parts = place["allOf"]?.items {
            var profile = ownProfile(place)
            profile.kind = .object
            for part in parts {
                let other = self.profile(part, &seen)
                profile.properties.formUnion(other.properties)
                profile.required.formUnion(other.required)
                if parts.count == 1 { profile.kind = other.kind }
            }
            return profile
        }
        let alternatives = alternatives(place)
        guard alternatives.isEmpty else {
            let kinds = Set(alternatives.map { self.profile($0, &seen).kind })
            return Profile(kind: kinds.count == 1 ? kinds.first ?? .unclear : .unclear)
        }
        return ownProfile(place)
    }

    private func ownProfile(_ place: SchemaNode) -> Profile {
        let kinds: Set<Profile.Kind> = Set(
            types(place).map { type in
                switch type {
                case "boolean": .boolean
                case "integer", "number": .number
                case "string": .text
                case "array": .list
                case "object": .object
                default: .unclear
                }
            })
        var profile = Profile(kind: kinds.count == 1 ? kinds.first ?? .unclear : .unclear)
        profile.properties = Set(place["properties"]?.members.map(\.name) ?? [])
        profile.required = Set(place["required"]?.items.compactMap(\.text) ?? [])
        return profile
    }
}
