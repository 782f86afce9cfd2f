public import HTTP
public import Sockets

/// One request and its response, recorded when the response is sent or the connection has failed.
public struct ExchangeRecord: Sendable {
    /// `nil` if the bytes were not a valid request.
    public let method: HTTPMethod?
    public let target: RequestTarget?
    /// The template of the matching route, if any.
    public let template: String?
    public let status: HTTPStatus
    /// The bytes of head and body that were sent.
    public let sentBytes: Int
    /// The bytes of head and body that were read; 0 if they were not a valid request.
    public let receivedBytes: Int
    public let microseconds: Int
    public let peer: SocketAddress
    public let requestID: String
    /// The trace that the request belongs to, if it names one (W3C Trace Context).
    public let traceID: String?
    /// Milliseconds since 1970, at the end.
    public let finishedMilliseconds: Int64
}

/// Observes exchanges, on the connection's loop: it must be quick.
public protocol ExchangeObserver: Sendable {
    func finished(_ exchange: borrowing ExchangeRecord)
}
