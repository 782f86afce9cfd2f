import HTTP

/// The path of an endpoint, with named parameters: `/v1/articles/{id}/revisions/{number}`.
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

extension PathTemplate {
    /// The values of the parameters in a path; `nil` if the path does not match the template.
    func values(in path: [String]) -> [String: String]? {
        guard path.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (segment, text) in zip(segments, path) {
            switch segment {
            case .literal(let literal): guard literal == text else { return nil }
            case .parameter(let name): values[name] = text
            }
        }
        return values
    }

    /// The path with these values for the parameters, percent-encoded.
    func path(_ values: [(name: String, value: String)]) -> [UInt8] {
        segments.reduce(into: []) { path, segment in
            path.append(UInt8(ascii: "/"))
            switch segment {
            case .literal(let literal): path += literal.utf8
            case .parameter(let name):
                guard let value = values.first(where: { $0.name == name })?.value else { return }
                path += PercentEncoding.encodeSegment(value).utf8
            }
        }
    }
}
