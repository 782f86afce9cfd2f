/// The value of `If-Match` or `If-None-Match` (RFC 9110 §13.1.1, §13.1.2).
public enum TagCondition: Sendable, Hashable {
    /// `*`
    case any
    /// At least one tag and at most `limit`.
    case tags([EntityTag])

    public static let limit = 50

    /// Parses a field value; `nil` if it is invalid.
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
    /// The condition as a field value.
    public var description: String {
        switch self {
        case .any: "*"
        case .tags(let tags): tags.map(\.description).joined(separator: ", ")
        }
    }
}

public typealias IfMatch = TagCondition
public typealias IfNoneMatch = TagCondition
