import ArticleAPI

/// Objects: their properties, also those of the schemas that `allOf` joins.
extension SchemaReader {
    mutating func properties(_ place: SchemaNode, _ owner: String, _ depth: Int) -> [Property] {
        var parts = ObjectParts()
        var seen: Set<String> = []
        collect(place, into: &parts, &seen, depth)
        if parts.properties.count > GenerationLimits.properties {
            fault(place, "more than \(GenerationLimits.properties) properties are not supported")
        }
        if parts.properties.isEmpty { fault(place, "an object without properties in `allOf`") }
        var names = NameScope()
        return parts.properties.prefix(GenerationLimits.properties).map { key, schema in
            property(
                schema, key: key, name: names.claim(SwiftName.property(key)), owner,
                isRequired: parts.required.contains(key), depth)
        }
    }

    private struct ObjectParts {
        var properties: [(key: String, schema: SchemaNode)] = []
        var required: Set<String> = []
        private var places: [String: Int] = [:]

        /// Adds a property; false if there is another one of this name.
        mutating func add(_ key: String, _ schema: SchemaNode) -> Bool {
            guard let place = places[key] else {
                places[key] = properties.count
                properties.append((key, schema))
                return true
            }
            if properties[place].schema.value == schema.value { return true }
            // A joining schema may restrict a text of another one to some texts.
            let isRestricted = schema["enum"] != nil || schema["const"] != nil
            let isText = properties[place].schema.text("type") == "string"
            guard isRestricted, isText else { return false }
            properties[place].schema = schema
            return true
        }
    }

    private mutating func collect(
        _ place: SchemaNode, into parts: inout ObjectParts, _ seen: inout Set<String>, _ depth: Int
    ) {
        guard seen.insert(place.path.pointer).inserted else { return }
        guard depth + seen.count < GenerationLimits.types else {
            return fault(place, "too many schemas are joined")
        }
        for part in place["allOf"]?.items ?? [] {
            guard let target = document.resolved(part, in: "schemas") else {
                fault(part, "the reference leads to no schema of the components")
                continue
            }
            let profile = facts.profile(target)
            let isPlain = target["oneOf"] == nil && target["anyOf"] == nil
            let isConstraint = target["type"] == nil && target["properties"] == nil
            guard isPlain, profile.kind == .object || isConstraint else {
                fault(part, "`allOf` joins only objects with properties")
                continue
            }
            guard depth < GenerationLimits.depth else {
                return fault(part, "schemas nested deeper than \(GenerationLimits.depth) levels")
            }
            checkJoined(target)
            collect(target, into: &parts, &seen, depth + 1)
        }
        for (key, schema) in place["properties"]?.members ?? [] {
            if !parts.add(key, schema) {
                fault(schema, "another schema of `allOf` declares this property differently")
            }
        }
        for name in place["required"]?.items ?? [] {
            if let text = name.text { parts.required.insert(text) }
        }
        if let others = place["additionalProperties"], case .object(let members) = others.value,
            !members.isEmpty
        {
            fault(others, "properties beside values with any name are not supported")
        }
    }

    private mutating func checkJoined(_ place: SchemaNode) {
        for name in ["not", "if", "then", "else", "patternProperties", "dependentSchemas"] {
            if let keyword = place[name] { fault(keyword, "`\(name)` is not supported") }
        }
    }

    private mutating func property(
        _ schema: SchemaNode, key: String, name: String, _ owner: String, isRequired: Bool,
        _ depth: Int
    ) -> Property {
        if SwiftLiteral.fitting(key) == nil { fault(schema, "the name is too long for a line") }
        let hint = TypeHint(owner: owner, key: key)
        var property = Property(
            key: key, name: name, shape: shape(schema, hint, depth + 1),
            presence: isRequired ? .required : .optional)
        if !property.fits { fault(schema, "the name and its type are too long for a line") }
        let facts = facts.target(schema)
        if schema["readOnly"]?.isTrue ?? facts["readOnly"]?.isTrue == true {
            property.direction = .responses
        } else if schema["writeOnly"]?.isTrue ?? facts["writeOnly"]?.isTrue == true {
            property.direction = .requests
        }
        property.comment = schema.text("description") ?? ""
        if schema["deprecated"]?.isTrue == true { property.comment += " Deprecated." }
        return property
    }
}
