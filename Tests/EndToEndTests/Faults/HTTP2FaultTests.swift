import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// The faults of ``SocketFaultTests`` over HTTP/2: a thousand clients at a time in `make
/// socket-faults`, some otherwise.
@Suite(
    .mayBlock, .enabled(if: ProcessFigures.areOpen, "only root counts the descriptors of a server"))
struct HTTP2FaultTests {
    private static let clients = Thoroughness.isFull ? 1_000 : 12
    private static let pages = 90

    /// A bad client, and the stream whose response it awaits.
    private struct BadClient {
        let connection: RawConnection
        var http2: TestHTTP2Client?
        var stream: Int32?
    }

    /// Faults that are tried at the same time, as in ``SocketFaultTests``.
    private static let groups = Thoroughness.isFull ? HTTP2Fault.all.map { [$0] } : [HTTP2Fault.all]

    @Test func `bad clients receive what is expected, and good ones are not affected`()
        async throws
    {
        let target = try FaultedServer(.http2, FaultedServer.deadlines)
        try target.writeLongArticles(60)
        for faults in Self.groups {
            let clients = try faults.flatMap { fault in
                try target.serving(Self.clients) { (fault, try Self.begin(fault, target)) }
            }
            try target.drip(
                to: clients.compactMap { fault, client in
                    if case .drip = fault.then { client.connection } else { nil }
                })
            for (number, (fault, client)) in clients.enumerated() {
                if number % 50 == 0 { try target.expectService() }
                do { try Self.finish(fault, client) } catch {
                    throw TestFailure("\(fault.name): \(error)")
                }
            }
            try await target.expectNoTrace("\(faults.map(\.name))")
        }
    }

    private static func begin(_ fault: HTTP2Fault, _ target: FaultedServer) throws -> BadClient {
        var size: Int32?
        if case .pages = fault.start { size = 4_096 }
        var client = BadClient(connection: try target.connect(receiveBuffer: size))
        switch fault.start {
        case .bytes(let bytes): if !bytes.isEmpty { try client.connection.send(bytes) }
        case .frames(let frames): try client.connection.send(TestFrame.preface + frames)
        case .get:
            let http2 = try TestHTTP2Client(client.connection)
            (client.http2, client.stream) = (http2, try http2.send(.get, FaultClient.page))
        case .post(let frames):
            let http2 = try TestHTTP2Client(client.connection)
            let fields: HTTPFields = [
                .authorization: "Bearer \(RunningServer.adminKey)",
                .contentType: "application/json",
            ]
            let stream = try http2.send(
                .post, "/v1/articles", fields, body: Array("[".utf8), isWhole: false)
            (client.http2, client.stream) = (http2, stream)
            if !frames.isEmpty { try client.connection.send(frames) }
        case .pages:
            let http2 = try TestHTTP2Client(client.connection)
            for _ in 0..<pages {
                _ = try http2.send(.get, "/v1/articles?limit=100&fields=id,body")
            }
        }
        switch fault.then {
        case .nothing, .drip: break
        case .end: client.connection.shutdownWrite()
        case .reset: client.connection.reset()
        }
        return client
    }

    private static func finish(_ fault: HTTP2Fault, _ client: BadClient) throws {
        if case .reset = fault.then { return }
        let connection = client.connection
        switch fault.due {
        case .response(let status):
            let stream = try #require(client.stream)
            #expect(try client.http2?.response(on: stream).status == status, "\(fault.name)")
        case .goAway(let code):
            let frames = try connection.frames { $0.code == code && $0.type == 7 }
            #expect(frames.last?.code == code, "\(fault.name)")
        case .end: break
        }
        connection.speakRaw()
        connection.shutdownWrite()
        do { _ = try connection.rest() } catch { #expect(errno == ECONNRESET) }
    }
}
