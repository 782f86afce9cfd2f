public import Network
import Synchronization

/// Why a server cannot start.
public enum HTTPServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Something else listens there.
    case addressInUse(SocketAddress)
    case cannotListen(SocketAddress, SystemError)
    case noLoop(SystemError)
    /// A server starts once.
    case alreadyStarted

    public var description: String {
        switch self {
        case .addressInUse(let address): "\(address) is in use"
        case .cannotListen(let address, let error): "cannot listen on \(address): \(error)"
        case .noLoop(let error): "cannot make an event loop: \(error)"
        case .alreadyStarted: "the server has been started before"
        }
    }
}

/// An HTTP/1.1 server on sockets: listeners, event loops, and a router that answers.
public final class HTTPServer: Sendable {
    private enum Lifecycle {
        case idle
        case running([Listener], EventLoopGroup, [LoopContext])
        case stopped
    }

    private let configuration: ServerConfiguration
    private let rules: ConnectionRules
    private let lifecycle = Lock(Lifecycle.idle)
    private let gate: ConnectionGate

    public init(_ configuration: ServerConfiguration, router: Router) {
        self.configuration = configuration
        rules = ConnectionRules(configuration, router)
        let descriptors = DescriptorLimit.raise() - ServerConfiguration.reservedDescriptors
        gate = ConnectionGate(limit: max(1, min(configuration.maximumConnections, descriptors)))
    }

    /// Connections that are open.
    public var connectionCount: Int { gate.count }

    /// Read buffers that connections hold: none for an idle one.
    public var buffersInUse: Int {
        lifecycle.withLock { lifecycle in
            guard case .running(_, _, let locals) = lifecycle else { return 0 }
            return locals.reduce(0) { $0 + $1.buffersInUse.load(ordering: .relaxed) }
        }
    }

    /// How long each loop took just now to come to new work, in seconds.
    public func loopLags() async -> [Double] {
        let loops: [EventLoop] = lifecycle.withLock { lifecycle in
            if case .running(_, let group, _) = lifecycle { group.loops } else { [] }
        }
        var lags: [Double] = []
        for loop in loops {
            let start = ContinuousClock.now
            await withUnsafeContinuation { continuation in
                loop.submit { continuation.resume() }
            }
            lags.append(start.duration(to: .now) / .seconds(1))
        }
        return lags
    }

    // MARK: Starting

    /// Listens on every address, and serves.
    /// - Returns: where it listens, with real ports; addresses that redirect come last.
    @discardableResult
    public func start() throws(HTTPServerError) -> [SocketAddress] {
        try lifecycle.withLock { (lifecycle) throws(HTTPServerError) in
            guard case .idle = lifecycle else { throw .alreadyStarted }
            let group: EventLoopGroup
            do throws(SystemError) {
                group = try EventLoopGroup(count: configuration.loops)
            } catch { throw .noLoop(error) }
            let locals = group.loops.map { LoopContext($0) }
            var listeners: [Listener] = []
            do throws(HTTPServerError) {
                for address in configuration.addresses {
                    let rules = rules.serving(address, configuration)
                    listeners.append(try listen(on: address, rules, group, locals))
                }
                let port = listeners.first.map(\.address.port)
                for address in configuration.redirects {
                    let rules = rules.redirecting(to: port ?? 443)
                    listeners.append(try listen(on: address, rules, group, locals))
                }
            } catch {
                group.stop()
                throw error
            }
            for listener in listeners { listener.start() }
            lifecycle = .running(listeners, group, locals)
            return listeners.map(\.address)
        }
    }

    private func listen(
        on address: SocketAddress, _ rules: ConnectionRules, _ group: EventLoopGroup,
        _ locals: [LoopContext]
    ) throws(HTTPServerError) -> Listener {
        do throws(SystemError) {
            return try Listener(address, socketMode: configuration.socketMode) {
                [gate] descriptor, peer in
                let loop = group.next()
                let local = locals[loop.index]
                switch gate.enter() {
                case .welcome:
                    loop.adopt(descriptor, peer: peer) { channel in
                        await Connection(channel, local, rules).run()
                    } ended: {
                        gate.leave()
                    }
                case .full:
                    loop.adopt(descriptor, peer: peer) { channel in
                        await Connection(channel, local, rules).turnAway()
                    } ended: {
                        gate.leaveRefused()
                    }
                case .overrun: break  // So many that not even a refusal is due: closed.
                }
            }
        } catch {
            throw error.isAddressInUse ? .addressInUse(address) : .cannotListen(address, error)
        }
    }

    // MARK: Stopping

    /// Accepts no more, ends idle connections, lets requests in flight be answered with
    /// `Connection: close`, and ends what is left after `graceSeconds`. A second call with 0 ends
    /// everything at once.
    public func stop(graceSeconds: Double = 10) async {
        let running: ([Listener], EventLoopGroup)? = lifecycle.withLock { lifecycle in
            guard case .running(let listeners, let group, _) = lifecycle else {
                lifecycle = .stopped
                return nil
            }
            return (listeners, group)
        }
        guard let (listeners, group) = running else { return }
        for listener in listeners { await listener.stop() }
        if graceSeconds > 0 {
            group.drain()
            await gate.waitUntilEmpty(seconds: graceSeconds)
        }
        group.stop()
        // Handlers that do not heed their cancellation are not waited for longer.
        await gate.waitUntilEmpty(seconds: 1)
        lifecycle.withLock { $0 = .stopped }
    }
}
