/// The value of `If-Match` or `If-None-Match` (RFC 9110 §13.1.1, §13.1.2).
public enum TagCondition: Sendable, Hashable {
    /// `*`
    case any
    /// At least one, at most `limit`.
    case tags([EntityTag])

    public static let limit = 50

    /// Reads a field's value; `nil` if it is no condition.
    public init?(_ text: String) {
        var reader = FieldValueReader(text)
        var tags: [EntityTag] = []
        reader.skipEmptyElements()
        while !reader.isAtEnd {
            if tags.isEmpty, reader.take("*") {
                reader.skipSpace()
                guard reader.isAtEnd else { return nil }
                self = .any
                return
            }
            guard let tag = EntityTag(from: &reader), tags.count < Self.limit,
                reader.skipSeparators()
            else { return nil }
            tags.append(tag)
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
