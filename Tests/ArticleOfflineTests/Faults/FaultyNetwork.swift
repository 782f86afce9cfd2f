import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// The way from an app to a backend, on which a test chooses the faults.
final class FaultyNetwork: Sendable {
    enum Fault: Sendable, CustomTestStringConvertible {
        /// A response that is damaged, or not the backend's.
        case proxy(FaultProxy.Fault)
        /// Nobody listens.
        case refused
        /// TLS with a certificate of an authority that is not trusted.
        case untrusted

        /// All but those that spare the response, and the backend's verdict.
        static let all: [Fault] =
            [.refused, .untrusted]
            + FaultProxy.Fault.allCases.filter { !excluded.contains($0) }.map { .proxy($0) }

        /// One of each kind: no connection, a lost response, none, garbage, a response of the
        /// backend, and one of something else.
        static let kinds: [Fault] =
            [.refused] + [.reset, .silence, .cutGzip, .unavailable, .page403].map { .proxy($0) }

        private static let excluded: Set<FaultProxy.Fault> = [.delay, .dribble, .unauthorized]

        var testDescription: String {
            if case .proxy(let fault) = self { fault.rawValue } else { "\(self)" }
        }

        /// True if only responses to GET are at fault.
        var sparesWrites: Bool {
            if case .proxy(.nonsense) = self { true } else { false }
        }

        /// The number of requests of one call that reach the proxy.
        var requestCount: Int {
            switch self {
            case .refused, .untrusted: return 0
            case .proxy(let fault):
                switch fault {
                case .cutAfter, .truncate, .reset, .silence, .cutBefore, .noHead, .stall,
                    .garbage, .cutGzip, .unavailable, .tooMany:
                    return 3
                case .loop: return 6
                // A page asks for a delay that exceeds the deadline.
                default: return 1
                }
            }
        }
    }

    let proxy: FaultProxy
    private let impostor: ScriptedServer
    private let nowhere: HTTPOrigin
    private let fault: Lock<Fault?>

    init(to address: SocketAddress, in folder: TemporaryFolder) throws {
        let fault = Lock<Fault?>(nil)
        self.fault = fault
        proxy = try FaultProxy(to: address) {
            if case .proxy(let fault) = fault.withLock({ $0 }) { fault } else { nil }
        }
        nowhere = HTTPOrigin(unixSocket: folder.file("nowhere"))
        let tls = try TLSServer(
            [TestCertificates().pair(["127.0.0.1"])], protocols: ["http/1.1"], system: .real)
        impostor = try ScriptedServer { peer, _ in _ = try await peer.secure(by: tls) }
    }

    /// Begins or ends a fault, and everything that is on its way.
    func set(_ new: Fault?) throws {
        fault.withLock { $0 = new }
        try proxy.interrupt()
    }

    func stop() async {
        await proxy.stop()
        await impostor.stop()
    }

    /// A transport with connections of its own.
    var transport: some Transport { Route(network: self) }

    private struct Route: Transport {
        let network: FaultyNetwork
        private let transport = SocketTransport()

        init(network: FaultyNetwork) { self.network = network }

        func exchange(
            _ request: HTTPRequest, with origin: HTTPOrigin, options: TransportOptions
        ) async throws(TransportError) -> HTTPResponse {
            let (origin, options) = network.redirected(origin, options)
            return try await transport.exchange(request, with: origin, options: options)
        }
    }

    private func redirected(
        _ origin: HTTPOrigin, _ options: TransportOptions
    ) -> (HTTPOrigin, TransportOptions) {
        var options = options
        switch fault.withLock({ $0 }) {
        case .refused: return (nowhere, options)
        case .untrusted:
            return (HTTPOrigin("https://\(impostor.address)") ?? nowhere, options)
        // The deadline comes in any case, so it may come soon.
        case .proxy(let fault) where fault.isEndless: options.timeout = .milliseconds(200)
        case .proxy, nil: break
        }
        return (origin, options)
    }
}
