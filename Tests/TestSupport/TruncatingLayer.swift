import Glibc

/// A layer between a test's bytes and its socket.
protocol ConnectionLayer: AnyObject {
    var failure: TestFailure? { get }

    /// Returns the number of bytes sent.
    func write(_ bytes: [UInt8]) -> Int

    /// Returns the number of bytes received; 0 after an orderly close; -1 for any other end.
    func read(into bytes: inout [UInt8]) -> Int
}

/// A position in a conversation, counted in bytes on the wire.
public enum TruncationPoint: Sendable {
    case sent(Int)
    case received(Int)
}

/// A client that stops at a position in its conversation, in plaintext or in the middle of TLS
/// flights.
public final class TruncatingLayer: ConnectionLayer {
    private let socket: ClientSocket
    private let flights: InMemoryTLSClient?
    private var sendsLeft = Int.max
    private var receivesLeft = Int.max
    /// True if the position was reached.
    public private(set) var isBroken = false
    private(set) var failure: TestFailure?

    init(_ socket: ClientSocket, _ flights: InMemoryTLSClient?, _ place: TruncationPoint) {
        self.socket = socket
        self.flights = flights
        switch place {
        case .sent(let count): sendsLeft = count
        case .received(let count): receivesLeft = count
        }
    }

    /// Performs the handshake as far as it may.
    func handshake() throws(TestFailure) {
        guard let flights else { return }
        var next = flights.respond() ?? []
        while push(next), !flights.isDone {
            guard let bytes = pull() else { break }
            guard !bytes.isEmpty else { throw TestFailure("the server ended the handshake") }
            next = flights.respond(to: bytes) ?? []
        }
        guard isBroken || flights.isDone else { throw failure ?? TestFailure("no handshake") }
    }

    func write(_ bytes: [UInt8]) -> Int {
        push(flights?.carry(bytes) ?? bytes) ? bytes.count : 0
    }

    func read(into bytes: inout [UInt8]) -> Int {
        while let wire = pull() {
            guard !wire.isEmpty else { return 0 }
            let plain = flights?.read(wire) ?? wire
            guard plain.isEmpty else {
                bytes.replaceSubrange(..<plain.count, with: plain)
                return plain.count
            }
        }
        return -1
    }

    private func push(_ bytes: [UInt8]) -> Bool {
        let piece = Array(bytes.prefix(sendsLeft))
        sendsLeft -= piece.count
        if piece.count < bytes.count { isBroken = true }
        var sent = 0
        while sent < piece.count {
            let count = piece[sent...].withUnsafeBytes {
                send(socket.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                failure = .system("send")
                return false
            }
            sent += count
        }
        return !isBroken
    }

    /// The received bytes; empty at the end of the stream, `nil` at the position.
    private func pull() -> [UInt8]? {
        guard !isBroken, receivesLeft > 0 else {
            isBroken = true
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: min(16 << 10, receivesLeft))
        let count = recv(socket.descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else {
            failure = .system("recv")
            return nil
        }
        receivesLeft -= count
        return Array(bytes.prefix(count))
    }
}

extension RawConnection {
    /// Communicates up to this position, over TLS if options are given; everything after it fails.
    public func speak(
        upTo place: TruncationPoint, _ options: TestTLS?
    ) throws(TestFailure) -> TruncatingLayer {
        var flights: InMemoryTLSClient?
        if let options { flights = try InMemoryTLSClient(options) }
        let layer = TruncatingLayer(socket, flights, place)
        self.layer = layer
        try layer.handshake()
        return layer
    }

    /// Accesses the socket directly, below all layers.
    public func speakRaw() { layer = nil }
}
