import ArticleClient
import BroadsheetHTTP
import BroadsheetHTTPClient

/// The number of exchanges per second on one connection.
struct Rate {
    private let subject: Subject

    init(_ subject: Subject) { self.subject = subject }

    /// - Parameter inFlight: number of concurrent requests; the connection handles one of them at a
    ///   time.
    func json(_ count: Int, inFlight: Int) async throws -> String {
        var configuration = HTTPClientConfiguration()
        configuration.connectionsPerOrigin = 1
        let transport = SocketTransport(configuration)
        try await run(100, 1, transport)
        let cpu = processMicroseconds()
        let start = ContinuousClock.now
        try await run(count, inFlight, transport)
        let seconds = start.duration(to: .now) / .seconds(1)
        let cost = (processMicroseconds() - cpu) / Double(count)
        return #"{"perSecond":\#(Double(count) / seconds),"cpu":\#(cost)}"#
    }

    private func run(
        _ count: Int, _ inFlight: Int, _ transport: SocketTransport
    ) async throws {
        let (wire, origin) = (subject.wire(subject.article), subject.base.origin)
        try await withThrowingTaskGroup { group in
            for _ in 0..<inFlight {
                group.addTask {
                    for _ in 0..<(count / inFlight) {
                        _ = try await transport.exchange(wire, with: origin, options: .init())
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
