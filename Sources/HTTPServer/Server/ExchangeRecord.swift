public import HTTP
public import Network

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
    public let microseconds: Int
    public let peer: SocketAddress
    public let requestID: String
    /// Milliseconds since 1970, at the end.
    public let finishedMilliseconds: Int64
}

/// Is told of exchanges, on the connection's loop: it must be quick.
public protocol ExchangeObserver: Sendable {
    func finished(_ exchange: borrowing ExchangeRecord)
}
