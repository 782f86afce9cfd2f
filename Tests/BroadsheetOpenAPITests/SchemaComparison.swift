import ArticleAPI

@testable import BroadsheetOpenAPI

/// The differences between two schemas that break a client made for the first one.
struct SchemaComparison {
    /// The direction of the values: clients send or receive them.
    let direction: Direction
    let old: JSONValue
    let new: JSONValue
    /// Sentences that begin with the place.
    private(set) var found: [String] = []
    /// The pairs of named schemas that are compared already.
    private var visited: Set<[String]> = []

    /// - Parameters:
    ///   - old: the description that the client was made for.
    ///   - new: the description of the server that it meets.
    init(_ direction: Direction, in old: JSONValue, and new: JSONValue) {
        self.direction = direction
        self.old = old
        self.new = new
    }

    mutating func compare(_ before: JSONValue, _ after: JSONValue, at place: String) {
        let names = [before["$ref"]?.text ?? "", after["$ref"]?.text ?? ""]
        if !names.contains(""), !visited.insert(names).inserted { return }
        let (before, after) = (before.resolved(in: old), after.resolved(in: new))
        switch direction {
        case .request where before.acceptsNull && !after.acceptsNull:
            found.append("\(place): null is no longer accepted")
        case .response where after.acceptsNull && !before.acceptsNull:
            found.append("\(place): may be null now")
        default: break
        }
        compareChoices(before.choices, after.choices, at: place)
    }

    private mutating func compareChoices(
        _ before: [JSONValue], _ after: [JSONValue], at place: String
    ) {
        if before.count == 1, after.count == 1 {
            let resolved = (before[0].resolved(in: old), after[0].resolved(in: new))
            return compareOne(resolved.0, resolved.1, at: place)
        }
        switch direction {
        case .request:
            for (index, form) in before.enumerated()
            where !after.contains(where: { isCompatible(form, $0) }) {
                found.append("\(place): form \(index + 1) is no longer accepted")
            }
        case .response:
            for (index, form) in after.enumerated()
            where !before.contains(where: { isCompatible($0, form) }) {
                found.append("\(place): form \(index + 1) is new")
            }
        }
    }

    private func isCompatible(_ before: JSONValue, _ after: JSONValue) -> Bool {
        var trial = self
        trial.found = []
        trial.compare(before, after, at: "")
        return trial.found.isEmpty
    }

    private mutating func compareOne(_ before: JSONValue, _ after: JSONValue, at place: String) {
        let (types, newTypes) = (before.types, after.types)
        let isTypeKept =
            switch direction {
            case .request: newTypes.isEmpty || !types.isEmpty && types.isSubset(of: newTypes)
            case .response: types.isEmpty || !newTypes.isEmpty && newTypes.isSubset(of: types)
            }
        guard isTypeKept else {
            let (was, now) = (types.sorted(), newTypes.sorted())
            found.append("\(place): was \(was), is \(now)")
            return
        }
        compareText(before, after, at: place)
        if direction == .request { compareLimits(before, after, at: place) }
        compareProperties(before, after, at: place)
        if let items = before["items"], let newItems = after["items"] {
            compare(items, newItems, at: "\(place)/items")
        }
    }

    private mutating func compareText(_ before: JSONValue, _ after: JSONValue, at place: String) {
        let (format, newFormat) = (before["format"]?.text, after["format"]?.text)
        let isNarrowed = direction == .request ? newFormat != nil : format != nil
        if format != newFormat, isNarrowed {
            found.append(
                "\(place): the format was \(format ?? "none"), is \(newFormat ?? "none")")
        }
        // Clients accept values that they do not know.
        guard direction == .request else { return }
        if let values = after["enum"]?.items {
            guard let known = before["enum"]?.items else {
                found.append("\(place): only some values are accepted now")
                return
            }
            for value in known where !values.contains(value) {
                found.append("\(place): the value \(value.text ?? "\(value)") is gone")
            }
        }
        if let pattern = after["pattern"]?.text, pattern != before["pattern"]?.text {
            found.append("\(place): the pattern has changed")
        }
    }

    private mutating func compareLimits(_ before: JSONValue, _ after: JSONValue, at place: String) {
        for name in ["maxLength", "maximum", "maxItems"] {
            guard let limit = after[name]?.number else { continue }
            if before[name]?.number.map({ $0 > limit }) ?? true {
                found.append("\(place): \(name) is lower")
            }
        }
        for name in ["minLength", "minimum", "minItems"] {
            guard let limit = after[name]?.number else { continue }
            if (before[name]?.number ?? (name == "minimum" ? -.infinity : 0)) < limit {
                found.append("\(place): \(name) is higher")
            }
        }
    }

    private mutating func compareProperties(
        _ before: JSONValue, _ after: JSONValue, at place: String
    ) {
        let (required, newRequired) = (before.required, after.required)
        for property in before["properties"]?.members ?? [] {
            let name = property.name
            guard let value = after["properties"]?[name] else {
                let isOpen = after["additionalProperties"] != .boolean(false)
                if direction == .request, isOpen { continue }
                found.append("\(place)/\(name): was removed")
                continue
            }
            compare(property.value, value, at: "\(place)/\(name)")
            if direction == .response, required.contains(name), !newRequired.contains(name) {
                found.append("\(place)/\(name): may be absent now")
            }
        }
        guard direction == .request else { return }
        for name in newRequired where !required.contains(name) {
            found.append("\(place)/\(name): is required now")
        }
        if after["additionalProperties"] == .boolean(false),
            before["additionalProperties"] != .boolean(false), before.types == ["object"]
        {
            found.append("\(place): unknown attributes are rejected now")
        }
    }
}

extension JSONValue {
    /// The value that this one refers to, or itself.
    func resolved(in document: JSONValue) -> JSONValue {
        var value = self
        // A chain of references is short; a circle of them is not valid.
        for _ in 0..<10 {
            guard let path = value["$ref"]?.text else { return value }
            value = path.split(separator: "/").dropFirst().reduce(document) { value, name in
                value[String(name)] ?? .null
            }
        }
        return value
    }

    fileprivate var types: Set<String> {
        if let type = self["type"]?.text { return [type] }
        return Set((self["type"]?.items ?? []).compactMap(\.text)).subtracting(["null"])
    }

    fileprivate var acceptsNull: Bool {
        let types = (self["type"]?.items ?? []) + [self["type"]].compactMap(\.self)
        return types.contains(.string("null"))
            || (self["anyOf"]?.items ?? []).contains { $0["type"] == .string("null") }
    }

    /// The schemas of which one has to be met, besides `null`.
    fileprivate var choices: [JSONValue] {
        (self["anyOf"]?.items ?? [self]).filter { $0["type"] != .string("null") }
    }

    fileprivate var required: [String] { (self["required"]?.items ?? []).compactMap(\.text) }

    fileprivate var number: Double? {
        if case .number(let number) = self { number.double } else { nil }
    }
}
