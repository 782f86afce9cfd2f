public import HTTP

/// Looks at a request before its body is read, which it does not have yet: says who sent it, or
/// refuses it. It is asked again, still without the body, when that has arrived: what was granted
/// may have been withdrawn meanwhile. It runs on the connection's event loop and must be quick.
public typealias HTTPAdmission = @Sendable (HTTPRequest, RequestContext) -> Admission

/// What a route makes of a request's head.
public enum Admission: Sendable {
    case welcome(Visitor)
    /// Answered so; a large body is not even read.
    case refused(HTTPResponse)
}

/// Who sent a request, as its route has found out.
public struct Visitor: Sendable {
    /// Whose limits count, wherever the request comes from; `nil`: those of its address.
    public var account: String?
    /// For the route's handler.
    public var identity: (any Sendable)?

    public init(account: String? = nil, identity: (any Sendable)? = nil) {
        self.account = account
        self.identity = identity
    }
}
