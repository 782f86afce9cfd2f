/// The values that a path, query or header parameter accepts.
///
/// ```swift
/// let names = FetchArticleRequest.parameters.list.map(\.name)
/// ```
public struct ParameterDescription: Sendable, Hashable {
    public var name: String
    public var place: Place
    public var schema: JSONSchema
    public var isRequired: Bool
    /// The maximum number of occurrences.
    public var limitCount: Int

    public enum Place: Sendable, Hashable {
        case path, query, header
    }
}

/// The body of a request: its media types and schema.
///
/// ```swift
/// let mediaTypes = UpdateArticleRequest.parameters.body?.mediaTypes
/// ```
public struct BodyDescription: Sendable, Hashable {
    /// Clients send the first one.
    public var mediaTypes: [String]
    /// `nil` for raw bytes.
    public var schema: JSONSchema?
    /// True if a request without a body is rejected.
    public var isRequired = true
}
