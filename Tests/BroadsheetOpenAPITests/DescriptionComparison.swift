import ArticleAPI

@testable import BroadsheetOpenAPI

/// The differences between two descriptions of an API that break its clients.
///
/// Clients that were made for the old description ignore attributes, values of enumerations and
/// problems that they do not know. The server rejects parameters and attributes that it does not
/// know.
struct DescriptionComparison {
    private let old: JSONValue
    private let new: JSONValue
    /// Sentences that begin with the operation.
    private(set) var breakingChanges: [String] = []

    init(_ old: JSONValue, _ new: JSONValue) {
        self.old = old
        self.new = new
        for path in old["paths"]?.members ?? [] {
            for operation in path.value.members {
                let place = "\(operation.name.uppercased()) \(path.name)"
                guard let after = new["paths"]?[path.name]?[operation.name] else {
                    breakingChanges.append("\(place): was removed")
                    continue
                }
                compare(operation.value, after, at: place)
            }
        }
    }

    private mutating func compare(_ before: JSONValue, _ after: JSONValue, at place: String) {
        if before["operationId"] != after["operationId"] {
            breakingChanges.append("\(place): has another operationId")
        }
        let anonymous = JSONValue.object([])
        let (security, newSecurity) = (before["security"], after["security"])
        if security?.items.contains(anonymous) ?? true,
            !(newSecurity?.items.contains(anonymous) ?? true)
        {
            breakingChanges.append("\(place): requires credentials now")
        } else if let newSecurity, newSecurity != security,
            !newSecurity.items.contains(anonymous)
        {
            breakingChanges.append("\(place): requires another permission")
        }
        compareParameters(before, after, at: place)
        compareBodies(before["requestBody"], after["requestBody"], at: place)
        compareResponses(before, after, at: place)
    }

    // MARK: Requests

    private mutating func compareParameters(
        _ before: JSONValue, _ after: JSONValue, at place: String
    ) {
        let parameters = after["parameters"]?.items ?? []
        var known: Set<[JSONValue?]> = []
        for parameter in before["parameters"]?.items ?? [] {
            let key = [parameter["in"], parameter["name"]]
            known.insert(key)
            let words = "\(place) \(parameter.place)"
            guard let now = parameters.first(where: { [$0["in"], $0["name"]] == key }) else {
                breakingChanges.append("\(words): was removed")
                continue
            }
            if now.isRequired, !parameter.isRequired {
                breakingChanges.append("\(words): is required now")
            }
            if [parameter["style"], parameter["explode"]] != [now["style"], now["explode"]] {
                breakingChanges.append("\(words): is written otherwise")
            }
            compare(parameter["schema"], now["schema"], .request, at: words)
        }
        for parameter in parameters
        where parameter.isRequired && !known.contains([parameter["in"], parameter["name"]]) {
            breakingChanges.append("\(place) \(parameter.place): is new and required")
        }
    }

    private mutating func compareBodies(
        _ before: JSONValue?, _ after: JSONValue?, at place: String
    ) {
        if let after, after.isRequired, !(before?.isRequired ?? false) {
            breakingChanges.append("\(place) body: is required now")
        }
        guard let before else { return }
        guard let after else {
            breakingChanges.append("\(place) body: was removed")
            return
        }
        compareContents(before, after, .request, at: "\(place) body")
    }

    private mutating func compareContents(
        _ before: JSONValue, _ after: JSONValue, _ direction: Direction, at place: String
    ) {
        for content in before["content"]?.members ?? [] {
            guard let now = after["content"]?[content.name] else {
                breakingChanges.append("\(place): \(content.name) was removed")
                continue
            }
            compare(content.value["schema"], now["schema"], direction, at: place)
        }
    }

    private mutating func compare(
        _ before: JSONValue?, _ after: JSONValue?, _ direction: Direction, at place: String
    ) {
        var comparison = SchemaComparison(direction, in: old, and: new)
        comparison.compare(before ?? .object([]), after ?? .object([]), at: place)
        for change in comparison.found where !breakingChanges.contains(change) {
            breakingChanges.append(change)
        }
    }

    // MARK: Responses

    private mutating func compareResponses(
        _ before: JSONValue, _ after: JSONValue, at place: String
    ) {
        let responses = after["responses"]?.successes ?? []
        for response in before["responses"]?.successes ?? [] {
            let words = "\(place) \(response.name)"
            guard let now = responses.first(where: { $0.name == response.name })?.value else {
                breakingChanges.append("\(words): was removed")
                continue
            }
            let (before, after) = (response.value.resolved(in: old), now.resolved(in: new))
            compareFields(before, after, at: words)
            compareContents(before, after, .response, at: words)
        }
        let known = (before["responses"]?.successes ?? []).map(\.name)
        for response in responses where !known.contains(response.name) {
            breakingChanges.append("\(place) \(response.name): is a new success")
        }
    }

    private mutating func compareFields(
        _ before: JSONValue, _ after: JSONValue, at place: String
    ) {
        for field in before["headers"]?.members ?? [] {
            guard let now = after["headers"]?[field.name] else {
                breakingChanges.append("\(place) \(field.name): was removed")
                continue
            }
            if field.value.resolved(in: old).isRequired, !now.resolved(in: new).isRequired {
                breakingChanges.append("\(place) \(field.name): may be absent now")
            }
        }
    }
}

extension JSONValue {
    fileprivate var isRequired: Bool { self["required"] == .boolean(true) }

    /// A parameter, in words.
    fileprivate var place: String { "\(self["in"]?.text ?? "") \(self["name"]?.text ?? "")" }

    fileprivate var successes: [Member] { members.filter { $0.name.hasPrefix("2") } }
}
