import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// Connections that break at each byte of the client and of the server, over plain HTTP and in
/// every flight of a handshake: all of them in `make socket-faults`, some otherwise.
@Suite(
    .mayBlock, .enabled(if: ProcessFigures.areOpen, "only root counts the descriptors of a server"))
struct BrokenConversationTests {
    /// The way in which a client breaks the connection.
    enum Ending: CaseIterable {
        /// `RST`.
        case reset
        /// It stops sending, but continues to read.
        case end
        /// It sends garbage.
        case garbage
        /// It stalls.
        case silence
    }

    /// The read buffer of a connection in the middle of a request.
    private static let bufferKilobytes = 32

    @Test(arguments: Wire.allCases)
    func `a connection that breaks at any byte affects nobody else`(wire: Wire) async throws {
        let target = try FaultedServer(wire, FaultedServer.deadlines)
        var breaker = Breaker(target: target)
        for ending in Ending.allCases {
            breaker.ending = ending
            try breakEverywhere(&breaker)
            // A client that goes silent within a request holds its read buffer until its deadline.
            let held = breaker.silent.count * Self.bufferKilobytes
            try await target.expectNoTrace(
                "\(ending)", memoryKilobytes: max(FaultedServer.memoryLimitKilobytes, held))
            // Exactly the writes that were sent completely took place.
            let count = try target.articleCount()
            #expect(breaker.acknowledged <= count && count <= breaker.sentWhole, "\(ending)")
        }
    }

    private func breakEverywhere(_ breaker: inout Breaker) throws {
        let step = Thoroughness.isFull ? 1 : 83
        for make in [TruncationPoint.sent, TruncationPoint.received] {
            var place = 0
            while try breaker.breakOff(at: make(place)) {
                place += step
                if place % (step * 64) == 0 { try breaker.target.expectService() }
            }
            #expect(place > 400, "it breaks off nowhere: \(breaker.ending)")
        }
    }

    private struct Breaker {
        let target: FaultedServer
        var ending = Ending.reset
        private(set) var acknowledged = 0
        private(set) var sentWhole = 0
        private(set) var silent: [RawConnection] = []
        private var generator = SplitMix64(seed: 1)

        init(target: FaultedServer) { self.target = target }

        /// Runs the exchange up to the place, then breaks it; false if it ended earlier.
        mutating func breakOff(at place: TruncationPoint) throws -> Bool {
            let connection = try target.connectRaw()
            let layer = try connection.speak(upTo: place, target.options)
            do {
                try converse(over: connection, layer)
            } catch {
                // Any other error is the server's fault.
                guard layer.isBroken else { throw TestFailure("at \(place): \(error)") }
            }
            guard layer.isBroken else { return false }
            connection.speakRaw()
            end(connection)
            return true
        }

        private mutating func converse(
            over connection: RawConnection, _ layer: TruncatingLayer
        ) throws {
            guard !layer.isBroken else { return }
            let client = try FaultClient(connection, target.wire)
            #expect(try client.get().status == 200)
            for isChunked in [false, true] {
                let response = try client.post(isChunked: isChunked)
                sentWhole += 1
                #expect(try response().status == 201)
                acknowledged += 1
            }
            #expect(try client.getTogether(2).allSatisfy { $0.status == 200 })
        }

        private mutating func end(_ connection: RawConnection) {
            switch ending {
            case .reset: connection.reset()
            case .end: finish(connection)
            case .garbage:
                _ = connection.sendSome(
                    (0..<300).map { _ in UInt8.random(in: 0...255, using: &generator) })
                finish(connection)
            case .silence: silent.append(connection)
            }
        }

        /// Stops sending; the server then closes the connection.
        private func finish(_ connection: RawConnection) {
            connection.shutdownWrite()
            do { _ = try connection.rest() } catch { #expect(errno == ECONNRESET) }
        }
    }
}
