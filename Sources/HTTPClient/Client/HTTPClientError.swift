public import HTTP
public import Platform
public import Sockets

/// Why an exchange has no response.
public enum HTTPClientError: Error, Sendable, Hashable {
    /// The host cannot be resolved.
    case unknownHost(HTTPOrigin, SocketAddress.ParsingError)
    /// No address of the origin accepted a connection; with the last address's error.
    case cannotConnect(HTTPOrigin, SystemError)
    /// The TLS handshake or session failed, or the origin's certificate is not trusted.
    case insecure(TLSFailure)
    /// A time limit expired.
    case timedOut
    /// The caller's task was cancelled.
    case cancelled
    /// The connection closed before the response was complete.
    case disconnected
    /// The response, or the request to be sent, is invalid; with what is wrong with it.
    case malformed(String)
    /// The response's body exceeds the limit.
    case tooLarge(limitBytes: Int)
    /// Too many exchanges already wait for a connection to the origin.
    case tooManyWaiting
    /// The client was stopped.
    case stopped
}

extension HTTPClientError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownHost(let origin, let error): "\(origin): \(error)"
        case .cannotConnect(let origin, let error): "cannot connect to \(origin): \(error)"
        case .insecure(let failure): "\(failure)"
        case .timedOut: "the response did not arrive in time"
        case .cancelled: "the request was cancelled"
        case .disconnected: "the connection closed before the response was complete"
        case .malformed(let detail): "the response has \(detail)"
        case .tooLarge(let limit): "the response is larger than \(limit) bytes"
        case .tooManyWaiting: "too many requests are waiting for a connection"
        case .stopped: "the client was stopped"
        }
    }
}
