public import HTTP

/// Turns a typed request into an HTTP request: the inverse of `BackendAPIRequest.init(parsing:)`.
public enum RequestPrinter {
    /// The whole request; the client adds `Host` and credentials. A value that is not valid in a
    /// header field is omitted, and the fields record its name (`HTTPFields.rejectedName`).
    public static func print<Request: BackendAPIRequest>(_ request: Request) -> HTTPRequest {
        print(request, accepting: ResponseMapper<Request.Item>().accept)
    }

    /// - Parameter accept: the field of the mapper for the response, if the caller has it already.
    package static func print<Request: BackendAPIRequest>(
        _ request: Request, accepting accept: HTTPFields
    ) -> HTTPRequest {
        var draft = draft(of: request, accept)
        if let body = draft.body { draft.fields.append(.contentType, body.mediaType) }
        guard let target = RequestTarget(target(of: draft, Request.endpoint)) else {
            preconditionFailure("programmer error: an encoded path and query are not a target")
        }
        return HTTPRequest(
            Request.endpoint.method, target, fields: draft.fields, body: draft.body?.bytes ?? [])
    }

    /// Path and query, encoded, as in `Location` and `Link`.
    public static func target<Request: BackendAPIRequest>(of request: Request) -> String {
        let target = target(of: draft(of: request, HTTPFields()), Request.endpoint)
        return String(decoding: target, as: UTF8.self)
    }

    private static func draft<Request: BackendAPIRequest>(
        of request: Request, _ fields: HTTPFields
    ) -> RequestDraft {
        var draft = RequestDraft(fields: fields)
        Request.parameters.print(request, &draft)
        return draft
    }

    private static func target(of draft: RequestDraft, _ endpoint: Endpoint) -> [UInt8] {
        let path = endpoint.template.path(draft.path)
        return draft.query.items.isEmpty ? path : path + "?\(draft.query.encoded)".utf8
    }
}

/// The parts of a request while it is being printed.
struct RequestDraft {
    var path: [(name: String, value: String)] = []
    var query = QueryItems()
    var fields: HTTPFields
    var body: (mediaType: String, bytes: [UInt8])?
}

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
        var path: [UInt8] = []
        path.reserveCapacity(description.utf8.count + values.reduce(0) { $0 + $1.value.utf8.count })
        for segment in segments {
            path.append(UInt8(ascii: "/"))
            switch segment {
            case .literal(let literal): path += literal.utf8
            case .parameter(let name):
                guard let value = values.first(where: { $0.name == name })?.value else { continue }
                path += PercentEncoding.encodeSegment(value).utf8
            }
        }
        return path
    }
}
