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
    /// How often it may occur.
    public var maximumCount: Int

    public enum Place: Sendable, Hashable {
        case path, query, header
    }
}

/// What a request's body may be.
///
/// ```swift
/// let mediaTypes = UpdateArticleRequest.parameters.body?.mediaTypes
/// ```
public struct BodyDescription: Sendable, Hashable {
    /// Clients send the first one.
    public var mediaTypes: [String]
    /// `nil` for raw bytes.
    public var schema: JSONSchema?
    /// Whether a request without a body is rejected.
    public var isRequired = true
}
