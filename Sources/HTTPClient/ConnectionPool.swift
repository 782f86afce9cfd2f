import Glibc
import HTTP
import Platform
import Sockets

/// The connections of a client, and the assignment of exchanges to them.
///
/// Exchanges arrive from any thread; everything else happens on the loop.
final class ConnectionPool: Sendable {
    let loop: EventLoop
    let configuration: HTTPClientConfiguration
    /// TLS for https, created on first use, as loading the system's authorities takes time.
    private let preparedTLS: Lock<TLSClient?>
    private let resolver = BlockingPool(label: "broadsheet.client.names", width: 2, depth: 256)

    private struct State {
        var origins: [HTTPOrigin: OriginConnections] = [:]
        var isStopped = false
    }
    // Confined to the loop's thread.
    private nonisolated(unsafe) var state = State()

    init(_ configuration: HTTPClientConfiguration, _ loop: EventLoop) {
        self.configuration = configuration
        self.loop = loop
        preparedTLS = Lock(configuration.tls)
    }

    var tls: TLSClient? { preparedTLS.withLock { $0 } }

    // MARK: From any thread

    func add(_ exchange: Exchange) {
        guard !loop.isOnLoop else { return begin(exchange) }
        loop.submit { [self] in begin(exchange) }
    }

    /// The exchange ended before its response was complete: stops the connection that works on it.
    func drop(_ exchange: Exchange) {
        loop.submit { [self] in
            leaveQueue(exchange)
            exchange.place.connection?.abort()
            forgetIfEmpty(exchange.origin)
        }
    }

    func stop() {
        loop.submit { [self] in
            guard !state.isStopped else { return }
            state.isStopped = true
            for exchange in state.origins.values.flatMap(\.waiting) {
                end(exchange, .stopped)
            }
            for connection in state.origins.values.flatMap(\.all.values) {
                if let exchange = connection.exchange { end(exchange, .stopped) }
                connection.abort()
            }
            loop.stop()
        }
    }

    // MARK: Exchanges

    private func begin(_ exchange: Exchange) {
        exchange.place.deadline = loop.now + exchange.options.deadlineMilliseconds
        place(exchange)
    }

    /// Assigns the exchange to an idle connection, or queues it.
    private func place(_ exchange: Exchange) {
        guard !exchange.isOver else { return }
        guard !state.isStopped else { return end(exchange, .stopped) }
        var connections = state.origins[exchange.origin] ?? OriginConnections()
        if !exchange.place.isRetried, let connection = connections.idle.popLast() {
            state.origins[exchange.origin] = connections
            return connection.take(exchange)
        }
        guard connections.waiting.count < configuration.waitingPerOrigin else {
            return end(exchange, .tooManyWaiting)
        }
        if exchange.place.isRetried {
            connections.waiting.insert(exchange, at: 0)
        } else {
            connections.waiting.append(exchange)
        }
        state.origins[exchange.origin] = connections
        exchange.place.timer = loop.schedule(
            afterMilliseconds: exchange.place.deadline - loop.now
        ) { [self] in
            exchange.place.timer = nil
            leaveQueue(exchange)
            end(exchange, .timedOut)
            forgetIfEmpty(exchange.origin)
        }
        openConnections(to: exchange.origin)
    }

    /// Retries the exchange: its connection had closed before it was used.
    func retry(_ exchange: Exchange) {
        exchange.place.isRetried = true
        place(exchange)
    }

    private func leaveQueue(_ exchange: Exchange) {
        if let timer = exchange.place.timer.take() { loop.cancel(timer) }
        state.origins[exchange.origin]?.removeWaiting(exchange)
    }

    private func end(_ exchange: Exchange, _ error: HTTPClientError) {
        if let timer = exchange.place.timer.take() { loop.cancel(timer) }
        exchange.finish(.failure(error))
        exchange.bodyEnded(.failure(error))
    }

    // MARK: Connections

    /// Opens connections for waiting exchanges, up to the limit.
    private func openConnections(to origin: HTTPOrigin) {
        guard var connections = state.origins[origin] else { return }
        while connections.connecting < connections.waiting.count {
            if connections.all.count + connections.connecting >= configuration.connectionsPerOrigin
            {
                // Only retries do not use idle connections: the oldest one is closed to make room.
                guard !connections.idle.isEmpty else { break }
                let oldest = connections.idle.removeFirst()
                connections.all[ObjectIdentifier(oldest)] = nil
                oldest.abort()
            }
            connections.connecting += 1
            lookUp(origin)
        }
        state.origins[origin] = connections
    }

    private func lookUp(_ origin: HTTPOrigin) {
        let deadline = loop.now + configuration.connectMilliseconds
        do throws(BlockingPool.Full) {
            try resolver.start { [self] in
                let addresses = Result { () throws(HTTPClientError) in try prepare(origin) }
                loop.submit { [self] in
                    switch addresses {
                    case .success(let addresses):
                        connect(ConnectAttempt(origin, addresses[...], by: deadline))
                    case .failure(let error): failed(origin, error)
                    }
                }
            }
        } catch {
            loop.submit { [self] in failed(origin, .tooManyWaiting) }
        }
    }

    /// Performs blocking work off the loop: resolves the origin and loads trusted authorities.
    private func prepare(_ origin: HTTPOrigin) throws(HTTPClientError) -> [SocketAddress] {
        if origin.scheme == .https, tls == nil {
            do throws(TLSConfigurationError) {
                let tls = try TLSClient(protocols: ["http/1.1"])
                preparedTLS.withLock { $0 = tls }
            } catch { throw .insecure(.rejected(reason: error.description)) }
        }
        do throws(SocketAddress.ParsingError) {
            return try SocketAddress.resolve(origin.place.socketAddress)
        } catch { throw .unknownHost(origin, error) }
    }

    /// Tries the remaining addresses, one after the other.
    private func connect(_ attempt: ConnectAttempt) {
        guard !state.isStopped else { return }
        var attempt = attempt
        while let address = attempt.addresses.popFirst() {
            guard attempt.deadline > loop.now else {
                return failed(attempt.origin, .cannotConnect(attempt.origin, .connectTimedOut))
            }
            guard configuration.permits(address) else { continue }
            do throws(SystemError) {
                return adopt(try .connecting(to: address), address, attempt)
            } catch {
                attempt.lastError = .cannotConnect(attempt.origin, error)
            }
        }
        failed(attempt.origin, attempt.lastError)
    }

    private func adopt(
        _ descriptor: consuming Descriptor, _ address: SocketAddress, _ attempt: ConnectAttempt
    ) {
        let connection = ClientConnection(attempt.origin, in: self)
        let deadline =
            attempt.addresses.isEmpty
            ? attempt.deadline
            : min(attempt.deadline, loop.now + configuration.addressMilliseconds)
        loop.adopt(descriptor, peer: address) { channel in
            await connection.run(
                channel, connectedBy: deadline, securedBy: attempt.deadline)
        } ended: { [self] in
            ended(connection, attempt)
        }
    }

    /// Called exactly once for each connection attempt, at its end.
    private func ended(_ connection: ClientConnection, _ attempt: ConnectAttempt) {
        var attempt = attempt
        switch connection.phase {
        case .open:
            let origin = connection.origin
            state.origins[origin]?.removeIdle(connection)
            state.origins[origin]?.all[ObjectIdentifier(connection)] = nil
            openConnections(to: origin)
            forgetIfEmpty(origin)
        case .failed(.insecure(let failure)):
            // Another address would not make the certificate valid.
            failed(attempt.origin, .insecure(failure))
        case .failed(let error):
            attempt.lastError = error
            connect(attempt)
        case .connecting:
            attempt.lastError = .cannotConnect(attempt.origin, .connectCancelled)
            connect(attempt)
        }
    }

    /// The attempt failed. If there are no other connections, waiting exchanges fail as well.
    private func failed(_ origin: HTTPOrigin, _ error: HTTPClientError) {
        guard var connections = state.origins[origin] else { return }
        connections.connecting -= 1
        let isAlone = connections.all.isEmpty && connections.connecting == 0
        let count = isAlone ? connections.waiting.count : min(1, connections.waiting.count)
        let failed = connections.waiting.prefix(count)
        connections.waiting.removeFirst(count)
        state.origins[origin] = connections
        for exchange in failed { end(exchange, error) }
        forgetIfEmpty(origin)
    }

    /// The connection is idle: it gets the first waiting exchange, or is kept.
    func isFree(_ connection: ClientConnection) {
        let origin = connection.origin
        guard !state.isStopped, var connections = state.origins[origin] else {
            return connection.abort()
        }
        if connections.all.updateValue(connection, forKey: ObjectIdentifier(connection)) == nil {
            connections.connecting -= 1
        }
        if connections.waiting.isEmpty {
            connections.idle.append(connection)
            state.origins[origin] = connections
        } else {
            let exchange = connections.waiting.removeFirst()
            state.origins[origin] = connections
            if let timer = exchange.place.timer.take() { loop.cancel(timer) }
            connection.take(exchange)
        }
    }

    private func forgetIfEmpty(_ origin: HTTPOrigin) {
        if state.origins[origin]?.isEmpty == true { state.origins[origin] = nil }
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

/// The connections to one origin, and the exchanges that wait for one.
struct OriginConnections {
    /// Connected and without an exchange; the most recently used one is last.
    var idle: [ClientConnection] = []
    var all: [ObjectIdentifier: ClientConnection] = [:]
    /// Being resolved or connected.
    var connecting = 0
    var waiting: [Exchange] = []

    var isEmpty: Bool { all.isEmpty && connecting == 0 && waiting.isEmpty }

    mutating func removeIdle(_ connection: ClientConnection) {
        idle.removeAll { $0 === connection }
    }

    /// Removes the exchange from the waiting ones.
    mutating func removeWaiting(_ exchange: Exchange) {
        waiting.removeAll { $0 === exchange }
    }
}
