import Glibc
import HTTP
import TestSupport
import Testing

/// Slow, non-reading, silent and broken clients in large numbers: a thousand at a time in `make
/// socket-faults`, some otherwise. Good clients are served meanwhile, and no resources leak.
@Suite(.enabled(if: ProcessFigures.areOpen, "only root counts the descriptors of a server"))
struct SocketFaultTests {
    private static let clients = Thoroughness.isFull ? 1_000 : 12

    @Test(arguments: SocketFault.all, Wire.allCases)
    func `bad clients receive what is expected, and good ones are not affected`(
        fault: SocketFault, wire: Wire
    ) async throws {
        let target = try Target(wire, Target.deadlines)
        if case .anything = fault.due { try Self.write(60, to: target) }
        let clients = try (0..<Self.clients).map { number in
            if number % 50 == 0 { try target.expectService() }
            return try Self.begin(fault, target)
        }
        if case .drip = fault.then { try Self.drip(to: clients, target) }
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

    /// Continues until the server has given up on all of them.
    private static func drip(to clients: [RawConnection], _ target: Target) throws {
        let end = ContinuousClock.now + .seconds(Target.deadline) * 1.5
        while ContinuousClock.now < end {
            // A client that keeps sending after the server has closed loses the response.
            for client in clients where !client.hasInput { _ = client.sendSome([0x78]) }
            try target.expectService()
        }
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

    /// Articles of 8 KB each.
    private static func write(_ count: Int, to target: Target) throws {
        let text = String(repeating: "x", count: 8_000)
        let body = #"{"title":"Bread","status":"published","body":"\#(text)"}"#
        let client = try target.connect()
        for _ in 0..<count {
            try client.send(
                "POST /v1/articles HTTP/1.1\r\nHost: localhost\r\n"
                    + "Authorization: Bearer \(Served.adminKey)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                    + body)
            #expect(try client.response(to: .post).status == 201)
        }
    }
}
