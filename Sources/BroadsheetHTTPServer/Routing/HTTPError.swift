public import BroadsheetHTTP

/// The reason why the server itself, rather than a handler, rejects a request.
///
/// A value, rendered on the connection's event loop. The server adds `Allow` and `Retry-After`
/// itself; nothing in it comes from a handler, so that it can be shown to the client.
///
/// ```swift
/// configuration.rejections = { error in
///     let json = #"{"status":\#(error.status.code)}"#
///     return HTTPResponse(
///         error.status, fields: [.contentType: "application/json"],
///         body: .bytes(Array(json.utf8)))
/// }
/// ```
public struct HTTPError: Error, Sendable {
    public var status: HTTPStatus
    /// The reason, where the status alone does not identify it.
    public var subject = Subject.request
    /// One sentence for the client.
    public var detail: String
    /// The methods of the resource, for 405.
    public var allow: [HTTPMethod]
    public var requestID: String
    /// The number of seconds after which the client may retry; 503 responses default to 1.
    public var retryAfterSeconds: Int?

    public enum Subject: Sendable {
        case request
        /// Credentials that may have been read on the way.
        case exposedCredentials
        /// A body that the route does not accept.
        case unexpectedBody
        /// A host that this address does not serve.
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

    /// The request was so slow that another process has taken over in the meantime.
    static let handedOver = HTTPError(
        .serviceUnavailable,
        "The server is being replaced and did not process the request. Send it again.")

    static let exposedCredentials = {
        var rejection = HTTPError(
            .forbidden,
            "Credentials were sent over plain HTTP and may have been exposed. Rotate the key and "
                + "use HTTPS; a proxy must forward the client's scheme.")
        rejection.subject = .exposedCredentials
        return rejection
    }()

    static let unexpectedBody = {
        var rejection = HTTPError(.badRequest, "This endpoint does not accept a request body.")
        rejection.subject = .unexpectedBody
        return rejection
    }()

    /// A handler's response has an invalid field and would be incomplete without it.
    static let unsendable = HTTPError(
        .internalServerError, "The response contains an invalid header field.")

    static let foreignHost = {
        var rejection = HTTPError(
            .misdirectedRequest, "This address does not serve the host that the request names.")
        rejection.subject = .foreignHost
        return rejection
    }()

    /// Converts an error to a response. The server adds `Allow` and `Retry-After` itself.
    public typealias Renderer = @Sendable (HTTPError) -> HTTPResponse

    /// Renders a line of plain text.
    public static let plainText: Renderer = { rejection in
        HTTPResponse(
            rejection.status, fields: [.contentType: "text/plain; charset=utf-8"],
            body: .bytes(Array("\(rejection.status): \(rejection.detail)\n".utf8)))
    }

    /// The complete response.
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
