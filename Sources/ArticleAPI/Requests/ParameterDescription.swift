/// The values that a path, query or header parameter accepts.
///
/// ```swift
/// let names = FetchArticleRequest.parameters.list.map(\.name)
/// ```
package struct ParameterDescription: Sendable, Hashable {
    package var name: String
    package var place: Place
    package var schema: JSONSchema
    package var isRequired: Bool
    /// The maximum number of occurrences.
    package var limitCount: Int

    package enum Place: Sendable, Hashable {
        case path, query, header
    }
}

/// The body of a request: its media types and schema.
///
/// ```swift
/// let mediaTypes = UpdateArticleRequest.parameters.body?.mediaTypes
/// ```
package struct BodyDescription: Sendable, Hashable {
    /// Clients send the first one.
    package var mediaTypes: [String]
    /// `nil` for raw bytes.
    package var schema: JSONSchema?
    /// True if a request without a body is rejected.
    package var isRequired = true
}
