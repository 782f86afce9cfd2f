import ArticleAPI

/// Values that have one of several forms.
extension SchemaReader {
    mutating func union(_ place: SchemaNode, _ owner: String, _ depth: Int) -> Union {
        let types = facts.types(place)
        let list = place["oneOf"] ?? place["anyOf"]
        let alternatives =
            list == nil
            ? types.compactMap { single($0, of: place) } : facts.alternatives(place)
        if let other = place["properties"] ?? place["allOf"] {
            fault(other, "properties beside `oneOf` or `anyOf` are not supported")
        }
        if alternatives.count > GenerationLimits.cases {
            fault(place, "more than \(GenerationLimits.cases) alternatives are not supported")
        }
        let considered = Array(alternatives.prefix(GenerationLimits.cases))
        if let discriminator = place["discriminator"] {
            return tagged(considered, by: discriminator, owner, depth)
        }
        return untagged(considered, list ?? place, owner, depth, isAny: place["oneOf"] == nil)
    }

    /// The schema with one of its types.
    private func single(_ type: String, of place: SchemaNode) -> SchemaNode? {
        guard case .object(let members) = place.value else { return nil }
        let narrowed = members.map { member in
            member.name == "type"
                ? JSONValue.Member(name: "type", value: .string(type)) : member
        }
        return SchemaNode(.object(narrowed.filter { $0.name != "nullable" }), at: place.path)
    }

    // MARK: With a discriminator

    private mutating func tagged(
        _ alternatives: [SchemaNode], by discriminator: SchemaNode, _ owner: String, _ depth: Int
    ) -> Union {
        let key = discriminator.text("propertyName")
        if key.flatMap({ SwiftLiteral.fitting($0) }) == nil {
            fault(discriminator, "a discriminator needs a `propertyName` that fits on a line")
        }
        var names = NameScope(["format", "encoding"])
        let unknown = names.claim("unknown")
        var forms: [Union.Form] = []
        var used: Set<String> = []
        for alternative in alternatives {
            guard
                let component = alternative.text("$ref").flatMap({
                    document.component($0, in: "schemas")
                })
            else {
                fault(alternative, "an alternative with a discriminator must be a reference")
                continue
            }
            var tags = tags(of: component, discriminator)
            tags = tags.filter { used.insert($0).inserted }
            if tags.isEmpty || tags.contains(where: { SwiftLiteral.fitting($0) == nil }) {
                fault(alternative, "the alternative has no tag of its own that fits on a line")
            }
            let hint = TypeHint(owner: owner, key: component)
            let shape = shape(alternative, hint, depth + 1)
            if facts.profile(alternative).kind != .object {
                fault(alternative, "an alternative with a discriminator must be an object")
            }
            let name = names.claim(SwiftName.property(tags.first ?? component))
            forms.append(Union.Form(name: name, tags: tags, shape: shape.present))
        }
        return Union(tagKey: key ?? "", forms: forms, unknownName: unknown)
    }

    /// The values of the discriminator that select a component.
    private func tags(of component: String, _ discriminator: SchemaNode) -> [String] {
        let mapped = (discriminator["mapping"]?.members ?? []).filter { entry in
            guard let target = entry.place.text else { return false }
            return (document.component(target, in: "schemas") ?? target) == component
        }
        return mapped.isEmpty ? [component] : mapped.map(\.name)
    }

    // MARK: Without a discriminator

    /// Returns forms that are tried in turn. They must differ in their kind; or each object must
    /// require an attribute that the later ones do not have, or must have all of theirs.
    ///
    /// - Parameter isAny: true if a value may have several of the forms.
    private mutating func untagged(
        _ alternatives: [SchemaNode], _ list: SchemaNode, _ owner: String, _ depth: Int, isAny: Bool
    ) -> Union {
        let candidates = alternatives.map { (place: $0, profile: facts.profile($0)) }
        let sorted = candidates.enumerated().sorted { left, right in
            let (a, b) = (left.element.profile.required.count, right.element.profile.required.count)
            return a == b ? left.offset < right.offset : a > b
        }.map(\.element)
        var names = NameScope(["format", "encoding"])
        var forms: [Union.Form] = []
        for (index, candidate) in sorted.enumerated() {
            let others = sorted[(index + 1)...].prefix(GenerationLimits.depth)
            if !others.allSatisfy({ Self.differ(candidate.profile, $0.profile, isAny: isAny) }) {
                fault(
                    list,
                    "alternatives that neither a discriminator, nor their kind, nor a required"
                        + " property tells apart are not supported")
            }
            let name = name(of: candidate.place, candidate.profile)
            let hint = TypeHint(owner: owner, key: name)
            let shape = shape(candidate.place, hint, depth + 1)
            forms.append(
                Union.Form(
                    name: names.claim(SwiftName.property(name)), tags: [], shape: shape.present))
        }
        return Union(tagKey: nil, forms: forms, unknownName: nil)
    }

    private static func differ(
        _ first: SchemaFacts.Profile, _ second: SchemaFacts.Profile, isAny: Bool
    ) -> Bool {
        guard first.kind != .unclear, second.kind != .unclear else { return false }
        guard first.kind == second.kind else { return true }
        guard first.kind == .object else { return false }
        if !first.required.isSubset(of: second.properties) { return true }
        // A value of both forms loses nothing in the first one.
        return second.properties.isSubset(of: first.properties)
            && (isAny || !first.required.isSubset(of: second.required))
    }

    private func name(of place: SchemaNode, _ profile: SchemaFacts.Profile) -> String {
        if let name = place.text("$ref").flatMap({ document.component($0, in: "schemas") }) {
            return name
        }
        if let title = place.text("title") { return title }
        switch profile.kind {
        case .boolean: return "boolean"
        case .number: return "number"
        case .text: return "string"
        case .list: return "list"
        case .object: return "object"
        case .unclear: return "value"
        }
    }
}
