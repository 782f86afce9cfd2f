import Glibc
import HTTP
import TestSupport
import Testing

/// Slow, non-reading, silent and broken clients in large numbers: a thousand at a time in `make
/// socket-faults`, some otherwise. Good clients are served meanwhile, and no resources leak.
@Suite(
    .mayBlock, .enabled(if: ProcessFigures.areOpen, "only root counts the descriptors of a server"))
struct SocketFaultTests {
    private static let clients = Thoroughness.isFull ? 1_000 : 12

    @Test(arguments: SocketFault.all, Wire.http1)
    func `bad clients receive what is expected, and good ones are not affected`(
        fault: SocketFault, wire: Wire
    ) async throws {
        let target = try Target(wire, Target.deadlines)
        if case .anything = fault.due { try target.writeLongArticles(60) }
        let clients = try (0..<Self.clients).map { number in
            if number % 50 == 0 { try target.expectService() }
            return try Self.begin(fault, target)
        }
        if case .drip = fault.then { try target.drip(to: clients) }
        for (number, client) in clients.enumerated() {
            if number % 50 == 0 { try target.expectService() }
            try Self.finish(fault, client, target)
        }
        try await target.expectNoTrace()
    }

    private static func begin(_ fault: SocketFault, _ target: Target) throws -> RawConnection {
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
        _ fault: SocketFault, _ client: RawConnection, _ target: Target
    ) throws {
        if case .reset = fault.then { return }
        switch fault.due {
        case .response(let status): #expect(try client.response().status == status)
        case .end where !target.wire.isSecure: #expect(client.isEnded())
        case .end, .anything: break
        }
        client.speakRaw()
        client.shutdownWrite()
        do { _ = try client.rest() } catch { #expect(errno == ECONNRESET) }
    }
}
