/// A path with named parameters, as a list of segments.
///
/// ```swift
/// let template: PathTemplate = "/v1/articles/{id}/revisions/{number}"
/// let names = template.parameters
/// ```
public struct PathTemplate: Sendable, Hashable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    public enum Segment: Sendable, Hashable {
        case literal(String)
        case parameter(String)
    }

    public let description: String
    public let segments: [Segment]

    public init(stringLiteral text: String) {
        description = text
        segments = text.split(separator: "/").map { segment in
            segment.first == "{" && segment.last == "}"
                ? .parameter(String(segment.dropFirst().dropLast())) : .literal(String(segment))
        }
    }

    /// The names in braces, in their order.
    public var parameters: [String] {
        segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }
}
