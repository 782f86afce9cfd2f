import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetSockets
import Glibc

/// The time until several articles have arrived that are requested at the same time on one new
/// connection: over HTTP/1.1, where each waits for the one before, and over HTTP/2.
struct ConcurrentRequests {
    private let base: BaseURL
    private let authorities: [UInt8]

    /// - Parameter path: The authorities to trust, as PEM.
    init(_ base: BaseURL, trusting path: String) throws {
        self.base = base
        guard let file = fopen(path, "r") else { throw NoFile() }
        defer { fclose(file) }
        authorities = [UInt8](unsafeUninitializedCapacity: 1 << 20) { room, count in
            count = fread(room.baseAddress, 1, room.count, file)
        }
    }

    func json(_ count: Int, _ pairs: Int) async throws -> String {
        let list = FetchArticlesRequest(limit: count)
        let ids = try await service("h2").send(list).items.map(\.id)
        guard ids.count == count else { throw EmptyBackend() }
        var times: [[Double]] = [[], []]
        for _ in 0..<pairs {
            for (number, version) in ["http/1.1", "h2"].enumerated() {
                times[number].append(try await milliseconds(ids, version))
            }
        }
        return #"{"http1":\#(times[0].median),"http2":\#(times[1].median)}"#
    }

    private func milliseconds(_ ids: [Article.ID], _ version: String) async throws -> Double {
        let service = try service(version)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup { group in
            for id in ids {
                group.addTask { _ = try await service.send(FetchArticleRequest(key: .id(id))) }
            }
            try await group.waitForAll()
        }
        return start.duration(to: .now) / .milliseconds(1)
    }

    /// The SDK as it is by default, but with one connection at most and without copies.
    private func service(_ version: String) throws -> BackendService {
        var configuration = HTTPClientConfiguration()
        configuration.connectionsPerOrigin = 1
        configuration.tls = try TLSClient(authorities: authorities, protocols: [version])
        return BackendService(
            configuration: BackendConfiguration(baseURL: base),
            transport: SocketTransport(configuration), cache: nil)
    }

    private struct NoFile: Error {}
}
