import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc
import Testing

@testable import BroadsheetSockets

/// The kind of address that a listener has.
enum Transport: CaseIterable, Sendable {
    case v4, v6, unix

    static var available: [Transport] { allCases.filter { $0 != .v6 || SocketAddress.hasIPv6 } }

    func address() -> SocketAddress {
        switch self {
        case .v4: .v4([127, 0, 0, 1], port: 0)
        case .v6: .v6([UInt8](repeating: 0, count: 15) + [1], port: 0)
        case .unix: .unix("/tmp/broadsheet-\(getpid())-\(UInt64.random(in: 0...(.max))).sock")
        }
    }
}

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct ListenerTests {
    @Test(arguments: Transport.available)
    func `an echo returns what clients send`(transport: Transport) async throws {
        let loops = try TestLoops(count: 2)
        let listener = try Listener(transport.address(), on: loops.loop) { descriptor, peer in
            loops.group.next().adopt(descriptor, peer: peer) { channel in
                guard let bytes = try? await channel.receive(5) else { return }
                try? await channel.write(
                    bytes, Array("!".utf8), stallMilliseconds: Int64(Patience.seconds) * 1_000)
            }
        }
        listener.start()
        if transport != .unix { #expect(listener.address.port != 0) }
        let peers = try (0..<20).map { _ in try Peer(to: listener.address) }
        for (number, peer) in peers.enumerated() { peer.send("<\(100 + number)>") }
        for (number, peer) in peers.enumerated() {
            #expect(String(decoding: peer.receiveAll(), as: UTF8.self) == "<\(100 + number)>!")
        }
        await listener.stop()
        #expect(throws: SystemError.self) { try Peer(to: listener.address) }
    }

    @Test func `without descriptors the listener waits without spinning, and recovers`()
        async throws
    {
        let loops = try TestLoops()
        let socket = try ListeningSocket(Transport.v4.address())
        let tries = Lock<[Int64]>([])
        let loop = loops.loop
        let listener = Listener(socket, on: loop) { (socket) throws(SystemError) in
            let count = tries.withLock { tries in
                tries.append(loop.now)
                return tries.count
            }
            if count <= 3 { throw SystemError("accept4", code: EMFILE) }
            return try socket.accept()
        } _: { descriptor, _ in
            Peer(descriptor.release()).send("at last")
        }
        listener.start()
        let peer = try Peer(to: listener.address)
        #expect(peer.receiveAll() == Array("at last".utf8))
        let times = tries.withLock { $0 }
        // Three during the shortage; one that accepts, and perhaps one that finds no other.
        #expect(times.count == 4 || times.count == 5)
        #expect(zip(times, times.dropFirst()).prefix(3).allSatisfy { $1 - $0 >= 100 })
        await listener.stop()
    }

    @Test func `a connection aborted in the queue does not delay others`() async throws {
        let loops = try TestLoops()
        let socket = try ListeningSocket(Transport.v4.address())
        let failures = Lock([ECONNABORTED, EPROTO, EPERM, EHOSTUNREACH])
        let reports = Lock<[String]>([])
        let listener = Listener(socket, on: loops.loop) { (socket) throws(SystemError) in
            if let code = failures.withLock({ $0.popLast() }) {
                throw SystemError("accept4", code: code)
            }
            return try socket.accept()
        } report: { line in
            reports.withLock { $0.append(line) }
        } _: { descriptor, _ in
            let wasPaused = failures.withLock { !$0.isEmpty }
            Peer(descriptor.release()).send(wasPaused ? "too early" : "welcome")
        }
        listener.start()
        let peer = try Peer(to: listener.address)
        #expect(peer.receiveAll() == Array("welcome".utf8))
        await listener.stop()
        #expect(reports.withLock { $0 } == [])
    }

    @Test(arguments: [EMFILE, EINVAL])
    func `a persistent failure is reported once and does not spin`(code: Int32) async throws {
        let loops = try TestLoops()
        let socket = try ListeningSocket(Transport.v4.address())
        let tries = Lock<[Int64]>([])
        let reports = Lock<[String]>([])
        let loop = loops.loop
        let listener = Listener(socket, on: loop) { (_) throws(SystemError) in
            tries.withLock { $0.append(loop.now) }
            throw SystemError("accept4", code: code)
        } report: { line in
            reports.withLock { $0.append(line) }
        } _: { _, _ in
        }
        listener.start()
        let peer = try Peer(to: listener.address)
        #expect(await eventually { tries.withLock { $0.count } >= 4 })
        await listener.stop()
        // There is a pause of 100 ms between two attempts.
        let times = tries.withLock { $0 }
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 100 })
        #expect(peer.receiveState() <= 0)
        let trouble =
            code == EMFILE
            ? "out of resources; new connections have to wait"
            : "connections cannot be accepted"
        let reason = SystemError("accept4", code: code).description
        #expect(reports.withLock { $0 } == ["\(listener.address): \(trouble): \(reason)"])
    }

    @Test func `stop works while descriptors are exhausted`() async throws {
        let loops = try TestLoops()
        let (tries, tried) = AsyncStream.makeStream(of: Void.self)
        let socket = try ListeningSocket(Transport.v4.address())
        let listener = Listener(socket, on: loops.loop) { (_) throws(SystemError) in
            tried.yield()
            throw SystemError("accept4", code: ENFILE)
        } _: { _, _ in
        }
        listener.start()
        let peer = try Peer(to: listener.address)
        for await _ in tries { break }
        await listener.stop()
        #expect(peer.receiveState() <= 0)
    }

    @Test func `an address is in use while a server listens there`() throws {
        let loops = try TestLoops()
        let first = try Listener(Transport.v4.address(), on: loops.loop) { _, _ in }
        #expect(throws: SystemError("bind", code: EADDRINUSE)) {
            try Listener(first.address, on: loops.loop) { _, _ in }
        }
    }

    @Test func `the file of a stale Unix socket is removed`() async throws {
        let loops = try TestLoops()
        let address = Transport.unix.address()
        guard case .unix(let path) = address else { return }
        do {
            // Bound and closed without unlinking, like by a killed process.
            let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            #expect(address.withSockaddr { bind(left, $0, $1) } == 0)
            close(left)
        }
        let listener = try Listener(address, on: loops.loop) { _, _ in }
        listener.start()
        #expect(throws: SystemError("bind", code: EADDRINUSE)) {
            try Listener(address, on: loops.loop) { _, _ in }
        }
        await listener.stop()
        #expect(access(path, F_OK) == -1)
    }

    @Test func `a file that is not a socket is kept`() throws {
        let loops = try TestLoops()
        let address = Transport.unix.address()
        guard case .unix(let path) = address else { return }
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        defer { unlink(path) }
        #expect(throws: SystemError.self) { try Listener(address, on: loops.loop) { _, _ in } }
        #expect(access(path, F_OK) == 0)
    }
}
