import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets

/// A connection to an origin, of any version of HTTP, as the pool uses it.
///
/// It is used on the pool's loop.
protocol ClientConnection: AnyObject, Sendable {
    var origin: HTTPOrigin { get }
    /// True if it performs several exchanges at a time, so that an origin needs no other one.
    var isShared: Bool { get }
    /// The number of further exchanges that it can take now.
    var room: Int { get }
    /// Those that it has taken and that have not ended.
    var exchanges: [ClientExchange] { get }

    /// Performs the exchanges that it is given until one side closes the connection. It tells the
    /// pool when it has room (`hasRoom`).
    func run() async
    /// Begins an exchange, for which there must be room.
    func take(_ exchange: ClientExchange)
    /// The caller no longer wants the rest of the response.
    func drop(_ exchange: ClientExchange)
    /// Closes the connection immediately, whatever it is doing.
    func abort()
}

/// The interim responses (1xx) of one exchange, of which there may be several.
struct InterimResponses {
    private(set) var count = 0

    /// - Throws: `malformed` if there are too many, or if the protocol is to be switched.
    mutating func add(_ status: HTTPStatus) throws(HTTPClientError) {
        count += 1
        guard count <= 16, status != .switchingProtocols else {
            throw .malformed("too many interim responses")
        }
    }
}

/// The attempt to connect to one address of an origin: connecting, the TLS handshake, and then the
/// connection of the version that both sides speak.
final class Dial: @unchecked Sendable {
    /// The state of the attempt.
    enum Phase {
        case connecting
        case open(any ClientConnection)
        case failed(HTTPClientError)
    }

    private let origin: HTTPOrigin
    private let pool: ConnectionPool
    // Confined to the pool's loop.
    private(set) var phase = Phase.connecting
    private var offersHTTP2 = true

    init(_ origin: HTTPOrigin, in pool: ConnectionPool) {
        self.origin = origin
        self.pool = pool
    }

    /// Connects, and performs exchanges until the connection closes.
    ///
    /// - Parameters:
    ///   - deadline: Until when the socket must be connected; monotonic milliseconds.
    ///   - secureDeadline: Until when the TLS handshake must be complete.
    func run(
        _ channel: SocketChannel, connectedBy deadline: Int64, securedBy secureDeadline: Int64
    ) async {
        offersHTTP2 = !pool.requiresHTTP1(origin)
        do throws(ChannelError) {
            try await channel.waitConnected(until: deadline)
            try await secure(channel, until: secureDeadline)
        } catch {
            phase = .failed(connectError(error))
            return
        }
        guard let connection = connection(over: channel) else {
            phase = .failed(.requiresHTTP1(origin))
            return
        }
        phase = .open(connection)
        await connection.run()
    }

    /// `nil` if the server speaks HTTP/2 although that was not offered.
    private func connection(over channel: SocketChannel) -> (any ClientConnection)? {
        let isHTTP2 =
            channel.isSecure
            ? channel.applicationProtocol == "h2"
            : offersHTTP2 && pool.configuration.usesCleartextHTTP2
        guard isHTTP2 else { return HTTP1ClientConnection(channel, to: origin, in: pool) }
        return offersHTTP2 ? HTTP2ClientConnection(channel, to: origin, in: pool) : nil
    }

    private func secure(
        _ channel: SocketChannel, until deadline: Int64
    ) async throws(ChannelError) {
        guard origin.scheme == .https, case .host(let host, _) = origin.endpoint else { return }
        guard let tls = pool.tls else { throw .cancelled }
        let protocols = offersHTTP2 ? tls.protocols : tls.protocols.filter { $0 != "h2" }
        guard offersHTTP2 || !protocols.isEmpty else { throw .insecure(.noCommonProtocol) }
        try await channel.secure(as: tls, with: host, offering: protocols, until: deadline)
    }

    private func connectError(_ error: ChannelError) -> HTTPClientError {
        switch error {
        case .insecure(.noCommonProtocol) where !offersHTTP2: .requiresHTTP1(origin)
        case .disconnected(let code): .cannotConnect(origin, SystemError("connect", code: code))
        case .timedOut: .cannotConnect(origin, .connectTimedOut)
        case .cancelled: .cannotConnect(origin, .connectCancelled)
        // Lost during the handshake, which says nothing about its security.
        case .insecure(.truncated): .cannotConnect(origin, .connectionLost)
        case .insecure(let failure): .insecure(failure)
        }
    }
}
