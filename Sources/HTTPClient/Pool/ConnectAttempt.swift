import HTTP
import Platform
import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An attempt to connect to an origin, one address after the other.
struct ConnectAttempt: Sendable {
    let origin: HTTPOrigin
    /// The addresses that were not tried yet.
    var addresses: ArraySlice<SocketAddress>
    /// Monotonic milliseconds.
    let deadline: Int64
    var lastError: HTTPClientError

    init(_ origin: HTTPOrigin, _ addresses: ArraySlice<SocketAddress>, by deadline: Int64) {
        self.origin = origin
        self.addresses = addresses
        self.deadline = deadline
        lastError = .cannotConnect(origin, .connectCancelled)
    }
}

extension SystemError {
    static let connectTimedOut = SystemError("connect", code: ETIMEDOUT)
    static let connectCancelled = SystemError("connect", code: ECANCELED)
}

extension HTTPOrigin.Place {
    /// As parsed by `SocketAddress.resolve`.
    var socketAddress: String {
        switch self {
        case .host(let host, let port): "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
