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
        "Another server has taken over meanwhile, and nothing was done: send the request again.")

    static let exposedCredentials = {
        var refusal = HTTPError(
            .forbidden,
            "Credentials came unencrypted, and others may have read them: use https, and replace "
                + "the key. A proxy has to say that its client came by https.")
        refusal.subject = .exposedCredentials
        return refusal
    }()

    static let unexpectedBody = {
        var refusal = HTTPError(.badRequest, "Send this request without a body.")
        refusal.subject = .unexpectedBody
        return refusal
    }()

    /// A handler's answer has a field that cannot be written, and says less without it.
    static let unsendable = HTTPError(
        .internalServerError, "The answer cannot be put into fields of HTTP.")

    static let foreignHost = {
        var refusal = HTTPError(
            .misdirectedRequest, "The request names a host that is not served at this address.")
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
