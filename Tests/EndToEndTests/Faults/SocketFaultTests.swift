import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// Slow, non-reading, silent and broken clients in large numbers: a thousand at a time in `make
/// socket-faults`, some otherwise. Good clients are served meanwhile, and no resources leak.
@Suite(
    .mayBlock, .enabled(if: ProcessFigures.areOpen, "only root counts the descriptors of a server"))
struct SocketFaultTests {
    private static let clients = Thoroughness.isFull ? 1_000 : 12

    /// Faults that are tried at the same time: each alone in a full run, with a thousand clients.
    private static let groups =
        Thoroughness.isFull ? SocketFault.all.map { [$0] } : [SocketFault.all]

    @Test(arguments: Wire.http1)
    func `bad clients receive what is expected, and good ones are not affected`(
        wire: Wire
    ) async throws {
        let target = try FaultedServer(wire, FaultedServer.deadlines)
        try target.writeLongArticles(60)
        for faults in Self.groups {
            let clients = try faults.flatMap { fault in
                try target.serving(Self.clients) { (fault, try Self.begin(fault, target)) }
            }
            try target.drip(
                to: clients.compactMap { fault, client in
                    if case .drip = fault.then { client } else { nil }
                })
            for (number, (fault, client)) in clients.enumerated() {
                if number % 50 == 0 { try target.expectService() }
                do { try Self.finish(fault, client, target) } catch {
                    throw TestFailure("\(fault.name): \(error)")
                }
            }
            try await target.expectNoTrace("\(faults.map(\.name))")
        }
    }

    private static func begin(_ fault: SocketFault, _ target: FaultedServer) throws -> RawConnection
    {
        guard let first = fault.first else { return try target.connectRaw() }
        var size: Int32?
        if case .anything = fault.due { size = 4_096 }
        let client = try target.connect(receiveBuffer: size)
        if !first.isEmpty { try client.send(first) }
        switch fault.then {
        case .nothing, .drip: break
        case .end: client.shutdownWrite()
        case .reset: client.reset()
        }
        return client
    }

    private static func finish(
        _ fault: SocketFault, _ client: RawConnection, _ target: FaultedServer
    ) throws {
        if case .reset = fault.then { return }
        switch fault.due {
        case .response(let status):
            #expect(try client.response().status == status, "\(fault.name)")
        case .end where !target.wire.isSecure: #expect(client.isEnded(), "\(fault.name)")
        case .end, .anything: break
        }
        client.speakRaw()
        client.shutdownWrite()
        do { _ = try client.rest() } catch { #expect(errno == ECONNRESET) }
    }
}
