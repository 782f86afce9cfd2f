import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets
import Glibc

/// The connections to one origin, and the exchanges that wait for one.
struct OriginConnections {
    /// The number of connections that an origin needs: one for all exchanges (HTTP/2), or one for
    /// each.
    enum Sharing {
        /// The first TLS handshake tells.
        case unknown
        case shared
        case exclusive
    }

    var sharing: Sharing
    /// Those with room for more exchanges; the most recently used one is last.
    private(set) var free: [any ClientConnection] = []
    private(set) var all: [ObjectIdentifier: any ClientConnection] = [:]
    /// Those that take no further exchanges, but have not ended.
    private var leaving: Set<ObjectIdentifier> = []
    /// Being resolved or connected.
    var connecting = 0
    var waiting: [ClientExchange] = []

    init(_ sharing: Sharing) { self.sharing = sharing }

    var isEmpty: Bool { all.isEmpty && connecting == 0 && waiting.isEmpty }

    /// Connections that take exchanges, now or later.
    var usableCount: Int { all.count - leaving.count }

    /// True if another connection would help the waiting exchanges.
    var needsConnection: Bool {
        guard !waiting.isEmpty else { return false }
        return sharing == .exclusive
            ? connecting < waiting.count : connecting == 0 && !hasUsableShared
    }

    private var hasUsableShared: Bool {
        all.values.contains { $0.isShared && !isLeaving($0) }
    }

    /// Returns true if another connection is within the limit. Those that only finish their
    /// exchanges have a limit of their own: a server that ends connections often must not block
    /// exchanges.
    func hasPlace(_ limit: Int) -> Bool {
        usableCount + connecting < limit && all.count + connecting < 2 * limit
    }

    /// The free connection for an exchange, with a place fewer.
    ///
    /// - Parameter isRetry: An idle HTTP/1.1 connection may have been closed by the server, and so
    ///   is not used for a retry.
    mutating func takeFree(isRetry: Bool) -> (any ClientConnection)? {
        // One that has just closed is still among them, but has no room. Shared ones are not used
        // once the origin requires HTTP/1.1.
        let index = free.lastIndex {
            ($0.isShared ? sharing != .exclusive : !isRetry) && $0.room > 0
        }
        guard let index else { return nil }
        let connection = free[index]
        if connection.room <= 1 { free.remove(at: index) }
        return connection
    }

    /// Adds a connection, unless it is known; returns whether it is new.
    mutating func add(_ connection: any ClientConnection) -> Bool {
        all.updateValue(connection, forKey: ObjectIdentifier(connection)) == nil
    }

    mutating func addFree(_ connection: any ClientConnection) {
        guard !isLeaving(connection), !free.contains(where: { $0 === connection }) else { return }
        free.append(connection)
    }

    /// The free connection that was not used for the longest time, which is forgotten.
    mutating func removeOldestFree() -> (any ClientConnection)? {
        guard let oldest = free.first else { return nil }
        remove(oldest)
        return oldest
    }

    mutating func remove(_ connection: any ClientConnection) {
        free.removeAll { $0 === connection }
        all[ObjectIdentifier(connection)] = nil
        leaving.remove(ObjectIdentifier(connection))
    }

    /// The connection takes no further exchanges.
    mutating func leave(_ connection: any ClientConnection) {
        free.removeAll { $0 === connection }
        if all[ObjectIdentifier(connection)] != nil {
            leaving.insert(ObjectIdentifier(connection))
        }
    }

    private func isLeaving(_ connection: any ClientConnection) -> Bool {
        leaving.contains(ObjectIdentifier(connection))
    }

    /// Removes the exchange from the waiting ones.
    mutating func removeWaiting(_ exchange: ClientExchange) {
        waiting.removeAll { $0 === exchange }
    }
}

/// An attempt to connect to an origin, one address after the other.
struct ConnectAttempt: Sendable {
    let origin: HTTPOrigin
    /// The addresses that were not tried yet.
    var addresses: ArraySlice<SocketAddress>
    /// Monotonic milliseconds.
    let deadline: Int64
    /// That of the last address that was tried; before one is, that none may be.
    var lastError: HTTPClientError

    init(_ origin: HTTPOrigin, _ addresses: ArraySlice<SocketAddress>, by deadline: Int64) {
        self.origin = origin
        self.addresses = addresses
        self.deadline = deadline
        lastError = .forbiddenAddress(origin)
    }
}

extension SystemError {
    static let connectTimedOut = SystemError("connect", code: ETIMEDOUT)
    static let connectCancelled = SystemError("connect", code: ECANCELED)
    static let connectionLost = SystemError("connect", code: ECONNRESET)
}

extension HTTPOrigin.Endpoint {
    /// As parsed by `SocketAddress.resolve`.
    var socketAddress: String {
        switch self {
        case .host(let host, let port): "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
