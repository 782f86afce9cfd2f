/// The value of `If-Match` or `If-None-Match` (RFC 9110 §13.1.1, §13.1.2).
public enum TagCondition: Sendable, Hashable {
    /// `*`
    case any
    /// At least one, at most `limit`.
    case tags([EntityTag])

    public static let limit = 50

    /// Reads a field's value; `nil` if it is no condition.
    public init?(_ text: String) {
        if text.trimmed == "*" {
            self = .any
            return
        }
        var tags: [EntityTag] = []
        var rest = text.trimmed[...]
        // Invariant: `rest` begins where a tag or an empty element of the list may begin.
        while !rest.isEmpty {
            if rest.first == "," {
                rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
                continue
            }
            guard let open = rest.firstIndex(of: "\""),
                let close = rest[rest.index(after: open)...].firstIndex(of: "\""),
                let tag = EntityTag(String(rest[...close])), tags.count < Self.limit
            else { return nil }
            tags.append(tag)
            rest = rest[rest.index(after: close)...].drop { $0 == " " || $0 == "\t" }
            guard rest.isEmpty || rest.first == "," else { return nil }
        }
        guard !tags.isEmpty else { return nil }
        self = .tags(tags)
    }
}

extension TagCondition: CustomStringConvertible {
    /// As it stands in a field.
    public var description: String {
        switch self {
        case .any: "*"
        case .tags(let tags): tags.map(\.description).joined(separator: ", ")
        }
    }
}

public typealias IfMatch = TagCondition
public typealias IfNoneMatch = TagCondition
