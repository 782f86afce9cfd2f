/// The segments of a route's path: `/v1/articles/{id}`.
struct PathTemplate {
    enum Part: Equatable {
        case literal(String)
        case parameter(String)
    }

    let parts: [Part]

    var names: [String] {
        parts.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// The indices of the segments that are parameters.
    var places: [Int] {
        parts.indices.filter { if case .parameter = parts[$0] { true } else { false } }
    }

    init(_ text: String) throws(RouterError) {
        guard text.first == "/" else { throw .malformed(text, "it does not start with /") }
        var parts: [Part] = []
        for segment in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            parts.append(try Self.part(String(segment), of: text))
        }
        self.parts = parts
        guard Set(names).count == names.count else {
            throw .malformed(text, "a parameter name is repeated")
        }
    }

    private static func part(_ segment: String, of text: String) throws(RouterError) -> Part {
        if segment.hasPrefix("{"), segment.hasSuffix("}") {
            let name = String(segment.dropFirst().dropLast())
            guard !name.isEmpty, !name.contains(where: { "{}".contains($0) }) else {
                throw .malformed(text, "a parameter needs a name")
            }
            return .parameter(name)
        }
        guard !segment.contains(where: { "{}%?#".contains($0) }), segment != ".", segment != ".."
        else { throw .malformed(text, "a segment is neither plain text nor one parameter") }
        guard !segment.isEmpty || text == "/" else { throw .malformed(text, "a segment is empty") }
        return .literal(segment)
    }
}

/// Why routes are invalid or conflict.
public enum RouterError: Error, Sendable, Hashable, CustomStringConvertible {
    case malformed(String, String)
    /// Two handlers match the same requests.
    case conflict(method: String, String, String)

    public var description: String {
        switch self {
        case .malformed(let template, let reason): "route \(template): \(reason)"
        case .conflict(let method, let first, let second):
            "routes \(first) and \(second) both handle \(method)"
        }
    }
}
