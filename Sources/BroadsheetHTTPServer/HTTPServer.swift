public import BroadsheetPlatform
public import BroadsheetSockets
import Dispatch
import Synchronization

/// Serves HTTP/1.1 and HTTP/2 on sockets: accepts connections, parses requests and sends the
/// responses of a router's handlers.
///
/// A connection belongs to one event loop. Its requests are processed one after the other, or at
/// the same time in HTTP/2, and each receives one response; if the framing of a message is in
/// doubt, the connection is closed.
/// Whatever a client can cause is bounded by ``ServerLimits``. It can be started once; a start that
/// fails can be repeated. Safe to use from any thread; handlers run on the event loops.
///
/// ```swift
/// let local = SocketAddress.v4([127, 0, 0, 1], port: 0)
/// let server = HTTPServer(
///     ServerConfiguration(addresses: [local], system: .real), router: router)
/// let addresses = try server.start()
/// ```
public final class HTTPServer: Sendable {
    private enum Lifecycle {
        case idle, starting
        case running(Run)
        case stopped
    }

    /// The parts of a running server.
    private struct Run {
        let doors: [BoundListener]
        let group: EventLoopGroup
        let loopContexts: [LoopContext]
    }

    /// A listening socket with the rules for its connections.
    private struct BoundListener {
        let listener: Listener
        let take: @Sendable (consuming Descriptor, SocketAddress) -> Void
    }

    private let configuration: ServerConfiguration
    private let shared: SharedState
    private let lifecycle = Lock(Lifecycle.idle)
    private let gate: ConnectionLimiter
    /// Empty, unless `handOver` left clients behind.
    private let leftovers: ConnectionLimiter

    public init(_ configuration: ServerConfiguration, router: HTTPRouter) {
        self.configuration = configuration
        shared = SharedState(configuration.limits, router)
        let descriptors = DescriptorLimit.raise() - ServerConfiguration.reservedDescriptors
        gate = ConnectionLimiter(
            limit: max(1, min(configuration.limitConnections, descriptors)), configuration.system)
        leftovers = ConnectionLimiter(limit: 1, configuration.system)
    }

    /// The number of open connections.
    public var connectionCount: Int { gate.count }

    /// The number of read buffers that connections hold: idle ones hold none.
    public var buffersInUse: Int {
        lifecycle.withLock { lifecycle in
            guard case .running(let run) = lifecycle else { return 0 }
            return run.loopContexts.reduce(0) { $0 + $1.buffersInUse.load(ordering: .relaxed) }
        }
    }

    /// Lets the rate limits hold for this number of servers together, this one included: a balancer
    /// spreads the requests evenly among them.
    public func shareLimits(among servers: Int) {
        for limiter in [shared.addressRate, shared.keyRate] {
            limiter?.buckets.share(among: servers)
        }
    }

    /// The number of rejections for each reason.
    public var rejections: [(reason: RejectionReason, count: Int)] { shared.rejections.all }

    /// The bytes of request bodies in memory.
    public var bodyBytes: Int { shared.bodies.usedBytes }

    /// The current latency of each loop in seconds: the wait of new work.
    public func loopLags() async -> [Double] {
        let loops: [EventLoop] = lifecycle.withLock { lifecycle in
            if case .running(let run) = lifecycle { run.group.loops } else { [] }
        }
        var lags: [Double] = []
        for loop in loops {
            let start = configuration.system.uptime
            await withUnsafeContinuation { continuation in
                loop.submit { continuation.resume() }
            }
            lags.append((configuration.system.uptime - start) / .seconds(1))
        }
        return lags
    }

    /// Runs the body after every loop has responded in turn: never if one hangs.
    public func whenResponsive(_ body: @escaping @Sendable () -> Void) {
        let loops: [EventLoop] = lifecycle.withLock { lifecycle in
            if case .running(let run) = lifecycle { run.group.loops } else { [] }
        }
        Self.pass(loops[...], body)
    }

    private static func pass(
        _ loops: ArraySlice<EventLoop>, _ body: @escaping @Sendable () -> Void
    ) {
        guard let loop = loops.first else { return body() }
        loop.submit { pass(loops.dropFirst(), body) }
    }

    // MARK: Starting

    /// Listens on every address and serves.
    /// - Returns: The bound addresses with their actual ports: first `addresses`, then
    ///   `proxiedAddresses`, then `redirects`.
    /// - Parameter ready: Called when nothing can fail any more, before the first client is
    ///   accepted.
    @discardableResult
    public func start(
        ready: () -> Void = {}
    ) throws(HTTPServerError) -> [SocketAddress] {
        try lifecycle.withLock { (lifecycle) throws(HTTPServerError) in
            guard case .idle = lifecycle else { throw .alreadyStarted }
            lifecycle = .starting
        }
        let run: Run
        do throws(HTTPServerError) {
            run = try bind()
        } catch {
            lifecycle.withLock { lifecycle in
                if case .starting = lifecycle { lifecycle = .idle }
            }
            throw error
        }
        ready()
        let isWanted = lifecycle.withLock { lifecycle in
            guard case .starting = lifecycle else { return false }
            for door in run.doors { door.listener.start() }
            lifecycle = .running(run)
            return true
        }
        guard isWanted else {
            run.group.stop()
            throw .stopped
        }
        return run.doors.map(\.listener.address)
    }

    private func bind() throws(HTTPServerError) -> Run {
        let group: EventLoopGroup
        do throws(SystemError) {
            group = try EventLoopGroup(count: configuration.loops)
        } catch { throw .noLoop(error) }
        let loopContexts = group.loops.map {
            LoopContext($0, configuration.system, configuration.accessLog)
        }
        var doors: [BoundListener] = []
        do throws(HTTPServerError) {
            for address in configuration.addresses {
                let listener = listener(.serving, at: address, doors.count)
                doors.append(
                    try door(at: address, configuration.open, listener, group, loopContexts))
            }
            for address in configuration.proxiedAddresses {
                let listener = listener(.servingProxy, at: address, doors.count)
                doors.append(
                    try door(at: address, configuration.openProxied, listener, group, loopContexts))
            }
            let port = doors.first.map(\.listener.address.port)
            for address in configuration.redirects {
                let listener = listener(.redirecting(to: port ?? 443), at: address, doors.count)
                doors.append(
                    try door(at: address, configuration.openRedirect, listener, group, loopContexts)
                )
            }
        } catch {
            group.stop()
            throw error
        }
        return Run(doors: doors, group: group, loopContexts: loopContexts)
    }

    private func listener(
        _ purpose: ListenerContext.Purpose, at address: SocketAddress, _ listener: Int
    ) -> ListenerContext {
        ListenerContext(purpose, at: address, listener: listener, configuration, shared)
    }

    private func door(
        at address: SocketAddress, _ open: ServerConfiguration.SocketOpener,
        _ listener: ListenerContext, _ group: EventLoopGroup, _ loopContexts: [LoopContext]
    ) throws(HTTPServerError) -> BoundListener {
        let take = entrance(listener, group, loopContexts)
        let loop = group.loops[listener.listener % group.loops.count]
        do throws(SystemError) {
            let socket = try open(address, configuration.socketAccess)
            let report = configuration.report
            return BoundListener(
                listener: Listener(socket, on: loop, report: report, take), take: take)
        } catch {
            throw error.isAddressInUse ? .addressInUse(address) : .cannotListen(address, error)
        }
    }

    private func entrance(
        _ listener: ListenerContext, _ group: EventLoopGroup, _ loopContexts: [LoopContext]
    ) -> @Sendable (consuming Descriptor, SocketAddress) -> Void {
        { [gate] descriptor, peer in
            let loop = group.next()
            let loopContext = loopContexts[loop.index]
            switch gate.enter() {
            case .admitted:
                loop.adopt(descriptor, peer: peer) { channel in
                    await HTTP1Connection(channel, loopContext, listener).run()
                } ended: {
                    gate.leave()
                }
            case .full:
                listener.rejections.add(.connections, on: loop)
                loop.adopt(descriptor, peer: peer) { channel in
                    await HTTP1Connection(channel, loopContext, listener).rejectOverLimit()
                } ended: {
                    gate.leaveRejected()
                }
            case .overrun:
                // So many that not even a rejection is sent.
                listener.rejections.add(.connections, on: loop)
            }
        }
    }

    /// Serves a connection that another process has accepted.
    /// - Parameter door: The index of its listener: in `addresses`, followed by `proxiedAddresses`
    ///   and `redirects`.
    public func adopt(_ connection: consuming Descriptor, from peer: SocketAddress, door: Int) {
        let take: (@Sendable (consuming Descriptor, SocketAddress) -> Void)? =
            lifecycle.withLock { lifecycle in
                guard case .running(let run) = lifecycle, run.doors.indices.contains(door)
                else { return nil }
                return run.doors[door].take
            }
        take?(connection, peer)
    }

    // MARK: Stopping

    /// Stops accepting, closes idle connections, lets requests in flight finish with `Connection:
    /// close`, and closes the remaining connections after `graceSeconds`. A second call with 0
    /// closes everything at once.
    public func stop(graceSeconds: Double = 10) async {
        guard let run = running() else { return }
        for door in run.doors { await door.listener.stop() }
        if graceSeconds > 0 {
            run.group.drain()
            await gate.waitUntilEmpty(seconds: graceSeconds)
        }
        await end(run)
    }

    /// Waits up to `seconds` for the requests that are in handlers now to finish, while others are
    /// served. Called once.
    ///
    /// - Returns: True if all of them have finished.
    @discardableResult
    public func finishCurrentRequests(seconds: Double) async -> Bool {
        guard case .running(let run) = lifecycle.withLock({ $0 }) else { return true }
        let busy = ConnectionLimiter(limit: run.loopContexts.count, configuration.system)
        for loopContext in run.loopContexts where busy.enter() == .admitted {
            loopContext.loop.submit { loopContext.whenCurrentWorkEnds { busy.leave() } }
        }
        await busy.waitUntilEmpty(seconds: seconds)
        return busy.count == 0
    }

    /// Hands everything off without clients noticing: the sockets stay open, and new clients wait
    /// in the kernel's queue; idle connections are passed to `take`, the others after their current
    /// response. TLS, and a proxy's report of a client, cannot be passed on: such connections are
    /// closed after their next response, or after `quietSeconds` without a request. If there may be
    /// any, connections are accepted for another `quietSeconds` first. An HTTP/2 client has to
    /// reconnect at most twice: when this begins, and when connections are no longer accepted.
    ///
    /// When this returns, no handler is running. That takes `patienceSeconds` for clients in the
    /// middle of a request, and then up to `handlerSeconds` for handlers, `graceSeconds` by
    /// default; those that take longer are left behind, and so are those that
    /// `finishCurrentRequests` has waited for. Slower clients are not waited for:
    /// responses that are being sent continue for `graceSeconds`, and requests that arrive later
    /// receive a 503.
    ///
    /// - Returns: True if no handler was left behind.
    @discardableResult
    public func handOver(
        graceSeconds: Double, quietSeconds: Double = 1, patienceSeconds: Double = 0.5,
        handlerSeconds: Double? = nil,
        take: @escaping @Sendable (consuming HandedOffConnection) -> Void
    ) async -> Bool {
        guard let run = running() else { return true }
        let (group, loopContexts) = (run.group, run.loopContexts)
        shared.departure.setQuiet(seconds: quietSeconds)
        if configuration.tls != nil || !configuration.proxiedAddresses.isEmpty
            || configuration.takesCleartextHTTP2
        {
            group.leave(now: false)
            await configuration.system.sleep(.seconds(quietSeconds))
        }
        for door in run.doors { await door.listener.rest() }
        shared.departure.open(take)
        group.leave(now: true)
        await gate.waitUntilEmpty(seconds: min(patienceSeconds, graceSeconds))
        let haveEnded = await closeHandlers(
            loopContexts, seconds: handlerSeconds ?? graceSeconds)
        shared.departure.close()
        lifecycle.withLock { $0 = .stopped }
        _ = leftovers.enter()
        gate.whenEmpty(orAfter: graceSeconds) { [leftovers] in
            let lines = DispatchGroup()
            for loopContext in loopContexts {
                lines.enter()
                loopContext.loop.submit {
                    loopContext.accessLines?.handOver()
                    lines.leave()
                }
            }
            lines.notify(queue: .global()) {
                group.stop()
                leftovers.leave()
            }
        }
        return haveEnded
    }

    /// Waits for the clients that `handOver` left behind, up to its grace period.
    public func finish(graceSeconds: Double) async {
        await leftovers.waitUntilEmpty(seconds: graceSeconds + 1)
    }

    /// - Returns: True if all of them have ended.
    private func closeHandlers(_ loopContexts: [LoopContext], seconds: Double) async -> Bool {
        let busy = ConnectionLimiter(limit: loopContexts.count, configuration.system)
        for loopContext in loopContexts where busy.enter() == .admitted {
            loopContext.loop.submit { loopContext.closeHandlers { busy.leave() } }
        }
        await busy.waitUntilEmpty(seconds: seconds)
        return busy.count == 0
    }

    private func running() -> Run? {
        lifecycle.withLock { lifecycle in
            guard case .running(let run) = lifecycle else {
                lifecycle = .stopped
                return nil
            }
            return run
        }
    }

    private func end(_ run: Run) async {
        run.group.stop()
        // Handlers that ignore their cancellation are not waited for any longer.
        await gate.waitUntilEmpty(seconds: 0.5)
        if configuration.accessLog != nil {
            await Self.handOverLines(of: run.loopContexts, seconds: 0.5)
        }
        lifecycle.withLock { $0 = .stopped }
    }

    /// Makes every loop flush its lines to the log; one that hangs is not waited for.
    private static func handOverLines(of loopContexts: [LoopContext], seconds: Double) async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let group = DispatchGroup()
            for loopContext in loopContexts {
                group.enter()
                loopContext.loop.submit {
                    loopContext.accessLines?.handOver()
                    group.leave()
                }
            }
            DispatchQueue.global().async {
                _ = group.wait(timeout: .now() + seconds)
                continuation.resume()
            }
        }
    }
}
