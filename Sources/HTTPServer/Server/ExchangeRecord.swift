public import HTTP
public import Sockets

/// One request and its answer, when the answer is out or the connection has failed.
public struct ExchangeRecord: Sendable {
    /// `nil` for bytes that were no request.
    public let method: HTTPMethod?
    public let target: RequestTarget?
    /// The route that matched, if one did.
    public let template: String?
    public let status: HTTPStatus
    /// Head and body, as far as they went out.
    public let sentBytes: Int
    /// Head and body, as far as they were read; 0 for what was no request.
    public let receivedBytes: Int
    public let microseconds: Int
    public let peer: SocketAddress
    public let requestID: String
    /// Of the trace that the request belongs to, if it says so (W3C Trace Context).
    public let traceID: String?
    /// Milliseconds since 1970, at the end.
    public let finishedMilliseconds: Int64
}

/// Is told of exchanges, on the connection's loop: it must be quick.
public protocol ExchangeObserver: Sendable {
    func finished(_ exchange: borrowing ExchangeRecord)
}
