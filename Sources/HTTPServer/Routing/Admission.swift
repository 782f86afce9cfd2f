public import HTTP

/// Responds to a request. It runs on the connection's event loop and must not block.
public typealias HTTPHandler = @Sendable (HTTPRequest, RequestContext) async -> HTTPResponse

/// Authenticates and authorizes a request before its body is read. It is called again, still
/// without the body, when the body has arrived, as access may have been revoked in the meantime. It
/// runs on the connection's event loop and must not block.
public typealias HTTPAdmission = @Sendable (HTTPRequest, RequestContext) async -> Admission

/// A route's decision on a request head.
public enum Admission: Sendable {
    /// Handled by this handler, which may know the sender.
    ///
    /// - Parameter account: The account whose limits apply, whatever address the request comes
    ///   from; `nil`: the address's.
    case admitted(HTTPHandler, account: String? = nil)
    /// Rejected with this response; a large body is not read.
    case rejected(HTTPResponse)
}

/// What the server does with the requests of a method and path.
public struct HTTPRoute: Sendable {
    /// Whether requests may have a body. An unexpected body is rejected by the head and never read
    /// into memory.
    let takesBody: Bool
    let admit: HTTPAdmission
}
