public import HTTP
public import Sockets

/// Why an exchange came to no answer.
public enum HTTPClientError: Error, Sendable, Hashable {
    /// The host has no address.
    case unknownHost(HTTPOrigin, SocketAddress.ParsingError)
    /// No address of the origin took the connection; the failure of the last one.
    case cannotConnect(HTTPOrigin, SystemError)
    /// TLS was not agreed on, or broke; or the origin's certificate is not to be trusted.
    case insecure(TLSFailure)
    /// The deadline came, or a peer stood still for too long.
    case timedOut
    /// Whoever waited for the answer no longer does.
    case cancelled
    /// The connection ended before the answer was whole.
    case disconnected
    /// What came was no answer, or what was to be sent no request; what was wrong with it.
    case malformed(String)
    /// The answer's body is longer than was allowed.
    case tooLarge(limitBytes: Int)
    /// So many wait for a connection to the origin that this one was not taken.
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
