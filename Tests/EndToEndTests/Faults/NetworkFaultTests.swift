import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// The SDK and a server on a network that fails at some byte: at every seventh in
/// `make socket-faults`, unless it stalls, and at some otherwise.
@Suite(.mayBlock) struct NetworkFaultTests {
    /// The way in which the SDK speaks with the server.
    enum Path: String, CaseIterable, Sendable {
        case http1, http2, secureHTTP2
    }

    @Test(arguments: Path.allCases, FailingNetwork.Failure.allCases)
    func `a failing network costs no read and doubles no write`(
        path: Path, failure: FailingNetwork.Failure
    ) async throws {
        let bench = try FaultFixture(path)
        let whole = try await bench.converse("whole", failure, at: nil)
        var expected: Set = ["whole with a key", "whole without"]
        for direction in SocketProxy.Direction.allCases {
            let total = whole.carried(direction)
            #expect(total > 500)
            var (tries, failures) = (0, 0)
            for bytes in stride(from: 0, to: total, by: failure.step(total)) {
                let place = FailingNetwork.Place(direction: direction, bytes: bytes)
                let network = try await bench.converse("\(place)", failure, at: place)
                (tries, failures) = (tries + 1, failures + (network.hasFailed ? 1 : 0))
                expected.formUnion(["\(place) with a key", "\(place) without"])
            }
            // Conversations differ by some bytes, which may be too few for the last places.
            #expect(failures > tries / 2)
        }
        try await bench.expectArticles(expected)
        #expect(bench.served.stop() == 0)
    }
}

extension FailingNetwork.Failure {
    /// From one place to the next.
    fileprivate func step(_ total: Int) -> Int {
        if self == .stall { return total / (Thoroughness.isFull ? 12 : 3) + 1 }
        return Thoroughness.isFull ? 7 : total / 6 + 1
    }
}

/// A server, and conversations with it.
private struct FaultFixture {
    let served: RunningServer
    private let path: NetworkFaultTests.Path
    private let folder: TemporaryFolder
    private let connections: HTTPClientConfiguration

    init(_ path: NetworkFaultTests.Path) throws {
        self.path = path
        folder = try TemporaryFolder()
        let database = folder.file("a.db")
        let options = ["--rate-limit", "off", "--log", "off"]
        if path == .secureHTTP2 {
            served = try RunningServer.secure(database, folder, options)
            let authorities = Array(try read(folder.file("server.pem")).utf8)
            var secure = HTTPClientConfiguration()
            secure.tls = try TLSClient(authorities: authorities, protocols: ["h2"])
            connections = secure
        } else {
            served = try RunningServer(database, options + ["--http2-cleartext"])
            connections = .cleartext(path == .http2 ? .http2 : .http11)
        }
    }

    /// - Parameter stall: How long the server may send nothing.
    private func backend(
        _ address: SocketAddress, stall: Duration = .seconds(Patience.seconds)
    ) throws -> BackendService {
        let origin =
            path == .secureHTTP2 ? "https://localhost:\(address.port)" : "http://\(address)"
        var configuration = BackendConfiguration(baseURL: try #require(BaseURL(origin)))
        configuration.timeout = .seconds(Patience.seconds)
        configuration.stallTimeout = stall
        // A busy machine may be slower than that more than once.
        configuration.retries.attempts = 50
        configuration.retries.base = .milliseconds(1)
        configuration.retries.longest = .milliseconds(100)
        return BackendService(
            configuration: configuration, transport: SocketTransport(connections),
            auth: BackendAuth(token: RunningServer.adminKey), cache: nil)
    }

    /// Reads and writes at the same time over a network that fails at the place.
    func converse(
        _ name: String, _ failure: FailingNetwork.Failure, at place: FailingNetwork.Place?
    ) async throws -> FailingNetwork {
        let network = try FailingNetwork(to: served.addresses[0], failure, at: place)
        defer { network.resume() }
        let stalls = place != nil && failure == .stall
        let backend =
            stalls
            ? try backend(network.address, stall: .seconds(1)) : try backend(network.address)
        let ended = Counter()
        async let lists: Void = Self.readLists(backend, ended)
        async let article = Self.create("\(name) with a key", key: name, backend, ended)
        async let other = Self.create("\(name) without", key: nil, backend, ended)
        if failure == .delay {
            #expect(await eventually { network.hasFailed || ended.value == 3 })
            network.resume()
        }
        try await lists
        let created = try await article
        #expect(created.title == "\(name) with a key")
        // Without a key, it is not repeated. On a busy machine a delay may exceed a time limit.
        do { _ = try await other } catch {
            #expect(place != nil, "\(name): \(error)")
        }
        return network
    }

    private static func readLists(_ backend: BackendService, _ ended: Counter) async throws {
        defer { ended.next() }
        for limit in 1...3 { _ = try await backend.send(FetchArticlesRequest(limit: limit)) }
    }

    private static func create(
        _ title: String, key: String?, _ backend: BackendService, _ ended: Counter
    ) async throws -> Article {
        defer { ended.next() }
        let text = String(repeating: "bread ", count: 50)
        let draft = Article.Draft(title: title, body: text, status: .published)
        let token = key?.replacing(" ", with: "-")
        return try await backend.send(CreateArticleRequest(article: draft, idempotencyKey: token))
    }

    /// Of the expected articles each exists once; those that were written without a key may be
    /// missing.
    func expectArticles(_ expected: Set<String>) async throws {
        var titles: [String] = []
        for try await article in try backend(served.addresses[0]).pages(
            of: FetchArticlesRequest(limit: 100)
        ).items { titles.append(article.title) }
        #expect(titles.count == Set(titles).count)
        #expect(expected.isSuperset(of: titles))
        #expect(expected.subtracting(titles).allSatisfy { $0.hasSuffix("without") })
    }
}
