public import HTTP

/// Authenticates and authorizes a request before its body is read. It is called again, still
/// without the body, when the body has arrived, as access may have been revoked in the meantime. It
/// runs on the connection's event loop and must be quick.
public typealias HTTPAdmission = @Sendable (HTTPRequest, RequestContext) -> Admission

/// A route's decision on a request head.
public enum Admission: Sendable {
    case welcome(Visitor)
    /// Rejected with this response; a large body is not read.
    case refused(HTTPResponse)
}

/// The sender of a request, as authenticated by its route.
public struct Visitor: Sendable {
    /// The account whose limits apply, whatever address the request comes from; `nil`: the
    /// address's.
    public var account: String?
    /// For the route's handler.
    public var identity: (any Sendable)?

    public init(account: String? = nil, identity: (any Sendable)? = nil) {
        self.account = account
        self.identity = identity
    }
}
