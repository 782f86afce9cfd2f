public import HTTP

/// Why the server itself, and no handler, answers a request.
public struct HTTPError: Error, Sendable {
    public var status: HTTPStatus
    /// What it is about, where the status alone does not tell.
    public var subject = Subject.request
    /// For the client, in one sentence.
    public var detail: String
    /// What the resource can do: with 405 and `OPTIONS`.
    public var allow: [HTTPMethod]
    public var requestID: String
    /// After which time the client may try again; 503 has 1 in any case.
    public var retryAfterSeconds: Int?

    public enum Subject: Sendable {
        case request
        /// Credentials that others on the way may have read.
        case exposedCredentials
        /// A body where none is taken.
        case unexpectedBody
        /// A host that is not served at the address that the request came to.
        case foreignHost
    }

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

    /// The request was so slow that meanwhile another process has taken over.
    static let handedOver = HTTPError(
        .serviceUnavailable,
        "The server is being replaced and did not process the request. Send it again.")

    static let exposedCredentials = {
        var refusal = HTTPError(
            .forbidden,
            "Credentials were sent over plain HTTP and may have been exposed. Rotate the key and "
                + "use HTTPS; a proxy must forward the client's scheme.")
        refusal.subject = .exposedCredentials
        return refusal
    }()

    static let unexpectedBody = {
        var refusal = HTTPError(.badRequest, "This endpoint does not accept a request body.")
        refusal.subject = .unexpectedBody
        return refusal
    }()

    /// A handler's answer has a field that cannot be written, and says less without it.
    static let unsendable = HTTPError(
        .internalServerError, "The response contains an invalid header field.")

    static let foreignHost = {
        var refusal = HTTPError(
            .misdirectedRequest, "This address does not serve the host that the request names.")
        refusal.subject = .foreignHost
        return refusal
    }()

    /// What makes an answer of a refusal. The server adds `Allow` and `Retry-After` itself.
    public typealias Renderer = @Sendable (HTTPError) -> HTTPResponse

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
