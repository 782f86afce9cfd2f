import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets

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
        /// https origins that were found to speak HTTP/1.1 only.
        var exclusiveOrigins: Set<HTTPOrigin> = []
        /// Origins whose servers require HTTP/1.1, although they speak HTTP/2 (RFC 9113 §7).
        var http1Origins: Set<HTTPOrigin> = []
        var isStopped = false
    }
    // Confined to the loop's thread.
    private nonisolated(unsafe) var state = State()
    /// The buffers that all HTTP/2 connections read into and write from, one after the other.
    // Confined to the loop's thread.
    nonisolated(unsafe) let shared = SharedBuffers()

    init(_ configuration: HTTPClientConfiguration, _ loop: EventLoop) {
        self.configuration = configuration
        self.loop = loop
        preparedTLS = Lock(configuration.tls)
    }

    var tls: TLSClient? { preparedTLS.withLock { $0 } }

    // MARK: From any thread

    func add(_ exchange: ClientExchange) {
        guard !loop.isOnLoop else { return begin(exchange) }
        loop.submit { [self] in begin(exchange) }
    }

    /// The exchange ended before its response was complete: stops the connection that works on it.
    func drop(_ exchange: ClientExchange) {
        loop.submit { [self] in
            leaveQueue(exchange)
            exchange.place.connection?.drop(exchange)
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
                for exchange in connection.exchanges { end(exchange, .stopped) }
                connection.abort()
            }
            loop.stop()
        }
    }

    // MARK: Exchanges

    private func begin(_ exchange: ClientExchange) {
        exchange.place.deadline = loop.now + exchange.options.deadlineMilliseconds
        place(exchange)
    }

    /// Assigns the exchange to a connection that has room, or queues it.
    private func place(_ exchange: ClientExchange) {
        guard !exchange.isOver else { return }
        guard !state.isStopped else { return end(exchange, .stopped) }
        let isRetry = exchange.place.isRetried
        if let connection = state.origins[exchange.origin]?.takeFree(isRetry: isRetry) {
            return connection.take(exchange)
        }
        var connections =
            state.origins[exchange.origin] ?? OriginConnections(sharing(of: exchange.origin))
        guard connections.waiting.count < configuration.waitingPerOrigin else {
            return end(exchange, .tooManyWaiting)
        }
        if isRetry || exchange.place.returns > 0 || exchange.place.needsHTTP1 {
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
    func retry(_ exchange: ClientExchange) {
        exchange.place.isRetried = true
        place(exchange)
    }

    /// Places the exchange again: its connection has not begun it, and neither has the server.
    func giveBack(_ exchange: ClientExchange) {
        exchange.place.returns += 1
        place(exchange)
    }

    /// Performs the exchange over HTTP/1.1, which the server requires before it processes it.
    func moveToHTTP1(_ exchange: ClientExchange) {
        guard !exchange.place.needsHTTP1 else {
            return end(exchange, .requiresHTTP1(exchange.origin))
        }
        exchange.place.needsHTTP1 = true
        place(exchange)
    }

    private func leaveQueue(_ exchange: ClientExchange) {
        if let timer = exchange.place.timer.take() { loop.cancel(timer) }
        state.origins[exchange.origin]?.removeWaiting(exchange)
    }

    private func end(_ exchange: ClientExchange, _ error: HTTPClientError) {
        if let timer = exchange.place.timer.take() { loop.cancel(timer) }
        exchange.finish(.failure(error))
        exchange.bodyEnded(.failure(error))
    }

    // MARK: Connections

    /// Opens connections for waiting exchanges, up to the limit.
    private func openConnections(to origin: HTTPOrigin) {
        guard var connections = state.origins[origin] else { return }
        while connections.needsConnection {
            if !connections.hasPlace(configuration.connectionsPerOrigin) {
                // Only retries do not use idle connections: the oldest one is closed to make room.
                guard let oldest = connections.removeOldestFree() else { break }
                oldest.abort()
            }
            connections.connecting += 1
            lookUp(origin)
        }
        state.origins[origin] = connections
    }

    /// Returns `.shared` if the origin needs one connection only, as far as it is known before the
    /// first.
    private func sharing(of origin: HTTPOrigin) -> OriginConnections.Sharing {
        guard !requiresHTTP1(origin) else { return .exclusive }
        guard origin.scheme == .https else {
            return configuration.usesCleartextHTTP2 ? .shared : .exclusive
        }
        let offered = configuration.tls?.protocols ?? HTTPClientConfiguration.protocols
        return offered.contains("h2") && !state.exclusiveOrigins.contains(origin)
            ? .unknown : .exclusive
    }

    /// Returns true if connections to the origin must not offer HTTP/2.
    func requiresHTTP1(_ origin: HTTPOrigin) -> Bool { state.http1Origins.contains(origin) }

    /// The origin's server has responded that it requires HTTP/1.1. Its connections of HTTP/2 get
    /// no further exchanges.
    func requireHTTP1(_ origin: HTTPOrigin) {
        guard !requiresHTTP1(origin) else { return }
        // A forgotten one will say so again.
        if state.http1Origins.count >= Self.limitKnownOrigins { state.http1Origins.removeFirst() }
        state.http1Origins.insert(origin)
        state.origins[origin]?.sharing = .exclusive
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
                let tls = try TLSClient(protocols: HTTPClientConfiguration.protocols)
                preparedTLS.withLock { $0 = tls }
            } catch { throw .insecure(.rejected(reason: error.description)) }
        }
        do throws(SocketAddress.ParsingError) {
            return try SocketAddress.resolve(origin.endpoint.socketAddress)
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
        let dial = Dial(attempt.origin, in: self)
        let deadline =
            attempt.addresses.isEmpty
            ? attempt.deadline
            : min(attempt.deadline, loop.now + configuration.addressMilliseconds)
        loop.adopt(descriptor, peer: address) { channel in
            await dial.run(channel, connectedBy: deadline, securedBy: attempt.deadline)
        } ended: { [self] in
            ended(dial, attempt)
        }
    }

    /// Called exactly once for each connection attempt, at its end.
    private func ended(_ dial: Dial, _ attempt: ConnectAttempt) {
        var attempt = attempt
        switch dial.phase {
        case .open(let connection):
            let origin = connection.origin
            state.origins[origin]?.remove(connection)
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

    /// Ends a failed attempt. If there are no other connections, waiting exchanges also fail.
    private func failed(_ origin: HTTPOrigin, _ error: HTTPClientError) {
        guard var connections = state.origins[origin] else { return }
        connections.connecting -= 1
        let isAlone = connections.usableCount == 0 && connections.connecting == 0
        let count = isAlone ? connections.waiting.count : min(1, connections.waiting.count)
        let failed = connections.waiting.prefix(count)
        connections.waiting.removeFirst(count)
        state.origins[origin] = connections
        for exchange in failed { end(exchange, error) }
        forgetIfEmpty(origin)
    }

    /// The connection has room: it gets the first waiting exchanges, or is kept as a free one.
    func hasRoom(_ connection: any ClientConnection) {
        let origin = connection.origin
        guard !state.isStopped, state.origins[origin] != nil else { return connection.abort() }
        let isNew = state.origins[origin]?.add(connection) == true
        if isNew { connected(connection) }
        guard !connection.isShared || !requiresHTTP1(origin) else {
            leaves(connection)
            if connection.exchanges.isEmpty { connection.abort() }
            return
        }
        while connection.room > 0, let exchange = takeWaiting(origin) {
            connection.take(exchange)
        }
        if connection.room > 0 { state.origins[origin]?.addFree(connection) }
        // Those that have waited for the handshake may need connections of their own.
        if isNew { openConnections(to: origin) }
    }

    private func connected(_ connection: any ClientConnection) {
        let origin = connection.origin
        state.origins[origin]?.connecting -= 1
        let isShared = connection.isShared && !requiresHTTP1(origin)
        state.origins[origin]?.sharing = isShared ? .shared : .exclusive
        if isShared {
            state.exclusiveOrigins.remove(origin)
        } else if state.exclusiveOrigins.count < Self.limitKnownOrigins {
            state.exclusiveOrigins.insert(origin)
        }
    }

    private static let limitKnownOrigins = 1_024

    private func takeWaiting(_ origin: HTTPOrigin) -> ClientExchange? {
        guard let exchange = state.origins[origin]?.waiting.first else { return nil }
        state.origins[origin]?.waiting.removeFirst()
        if let timer = exchange.place.timer.take() { loop.cancel(timer) }
        return exchange
    }

    /// The connection takes no further exchanges, which is why waiting ones need another.
    func leaves(_ connection: any ClientConnection) {
        state.origins[connection.origin]?.leave(connection)
        openConnections(to: connection.origin)
    }

    private func forgetIfEmpty(_ origin: HTTPOrigin) {
        if state.origins[origin]?.isEmpty == true { state.origins[origin] = nil }
    }
}

/// The buffers that the HTTP/2 connections of a loop read into and write from.
final class SharedBuffers {
    lazy var received = ReadBuffer()
    var frames: [UInt8] = []
}
