public import HTTP

/// Why the server itself, and no handler, answers a request.
public struct ServerRefusal: Error, Sendable {
    public var status: HTTPStatus
    /// For the client, in one sentence.
    public var detail: String
    /// What the resource can do: with 405 and `OPTIONS`.
    public var allow: [HTTPMethod]
    public var requestID: String
    /// After which time the client may try again; 503 has 1 in any case.
    public var retryAfterSeconds: Int?

    public init(
        _ status: HTTPStatus, _ detail: String, allow: [HTTPMethod] = [], requestID: String = "",
        retryAfterSeconds: Int? = nil
    ) {
        self.status = status
        self.detail = detail
        self.allow = allow
        self.requestID = requestID
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// What makes an answer of a refusal. The server adds `Allow` and `Retry-After` itself.
    public typealias Renderer = @Sendable (ServerRefusal) -> HTTPResponse

    /// A line of plain text.
    public static let plainText: Renderer = { refusal in
        HTTPResponse(
            refusal.status, fields: [.contentType: "text/plain; charset=utf-8"],
            body: .bytes(Array("\(refusal.status): \(refusal.detail)\n".utf8)))
    }

    /// The whole answer.
    func response(by render: Renderer) -> HTTPResponse {
        var response = render(self)
        if !allow.isEmpty {
            response.fields[.allow] = allow.map(\.rawValue).joined(separator: ", ")
        }
        if let seconds = retryAfterSeconds ?? (status == .serviceUnavailable ? 1 : nil) {
            response.fields[.retryAfter] = "\(seconds)"
        }
        return response
    }
}
