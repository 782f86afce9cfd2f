import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Dispatch

/// Clients that read and write continuously, each on a connection that it keeps as long as the
/// server does. They count unexpected responses until they are stopped.
final class BackgroundLoad: Sendable {
    private struct State {
        var isOver = false
        var failures: [(time: ContinuousClock.Instant, text: String)] = []
        var written: Set<String> = []
        var responses = 0
        var connections = 0
        var goal = Int.max
    }

    private let state = Lock(State())
    private let isReached = DispatchSemaphore(value: 0)
    private let group = DispatchGroup()
    private let connect: @Sendable () throws -> RawConnection

    /// - Parameter connect: opens the connection of a client.
    init(
        readers: Int, writers: Int, _ connect: @escaping @Sendable () throws -> RawConnection
    ) {
        self.connect = connect
        // A serial queue per client, so that each has its own thread.
        for _ in 0..<readers {
            DispatchQueue(label: "reader").async(group: group) { self.read() }
        }
        for number in 0..<writers {
            DispatchQueue(label: "writer").async(group: group) { self.write(as: number) }
        }
    }

    var responses: Int { state.withLock { $0.responses } }
    var failures: [String] { state.withLock { $0.failures.map(\.text) } }
    /// The failures of requests that began after this time.
    func failures(since time: ContinuousClock.Instant) -> [String] {
        state.withLock { $0.failures.filter { $0.time >= time }.map(\.text) }
    }

    /// Slugs of articles whose creation was acknowledged.
    var written: Set<String> { state.withLock { $0.written } }
    var connections: Int { state.withLock { $0.connections } }

    /// Returns after the given number of further responses, or when a request has failed.
    func goOn(for count: Int) -> Bool {
        state.withLock { $0.goal = $0.responses + count }
        return isReached.wait(timeout: .now() + .seconds(Patience.seconds)) == .success
    }

    /// Called with each response.
    private func reportProgress(_ state: inout State) {
        guard state.responses >= state.goal || !state.failures.isEmpty && state.goal < .max else {
            return
        }
        state.goal = .max
        isReached.signal()
    }

    /// Stops each client after its current request.
    func stop() {
        state.withLock { $0.isOver = true }
        group.wait()
    }

    private func read() {
        repeatedly { connection, number in
            let path = "/v1/articles?limit=\(1 + number % 2)"
            try connection.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return (try connection.response(), 200)
        }
    }

    private func write(as writer: Int) {
        repeatedly { connection, number in
            let slug = "written-\(writer)-\(number)"
            let body = #"{"title":"T","slug":"\#(slug)"}"#
            try connection.send(
                "POST /v1/articles HTTP/1.1\r\nHost: localhost\r\n"
                    + "Authorization: Bearer \(RunningServer.adminKey)\r\n"
                    + "Content-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            let response = try connection.response(to: .post)
            if response.status == 201 {
                self.state.withLock { _ = $0.written.insert(slug) }
            }
            return (response, 201)
        }
    }

    private func repeatedly(
        _ exchange: (RawConnection, Int) throws -> (ReceivedResponse, expected: Int)
    ) {
        var connection: RawConnection?
        var number = 0
        while !state.withLock({ $0.isOver }) {
            let time = ContinuousClock.now
            do {
                let open = try connection ?? fresh()
                connection = open
                let (response, expected) = try exchange(open, number)
                if response.fields.list(.connection, has: "close") { connection = nil }
                state.withLock { state in
                    state.responses += 1
                    if response.status != expected {
                        state.failures.append((time, "\(response.status): \(response.text)"))
                    }
                    reportProgress(&state)
                }
            } catch {
                connection = nil
                state.withLock { state in
                    state.failures.append((time, "\(error)"))
                    reportProgress(&state)
                }
            }
            number += 1
        }
    }

    private func fresh() throws -> RawConnection {
        state.withLock { $0.connections += 1 }
        return try connect()
    }
}
