import Dispatch
import Glibc
import Platform
public import Sockets

/// A proxy of bytes, on which a test decides: it passes them on, keeps them back, or cuts
/// connections.
///
/// Each direction of a connection has its own thread, which the test may block.
public final class SocketProxy: Sendable {
    public enum Direction: Sendable, CaseIterable {
        case toServer, toClient
    }

    /// Bytes that have arrived together.
    public struct Piece: Sendable {
        public let bytes: [UInt8]
        public let direction: Direction
        /// The number of connections before this one.
        public let connection: Int
        fileprivate let target: Int32

        /// Sends bytes to where the piece was going; false if that has closed the connection.
        @discardableResult
        public func pass(_ bytes: ArraySlice<UInt8>) -> Bool {
            bytes.withUnsafeBytes { bytes in
                var sent = 0
                // Invariant: the first `sent` bytes were sent.
                while sent < bytes.count {
                    let count = send(
                        target, bytes.baseAddress?.advanced(by: sent), bytes.count - sent,
                        Int32(MSG_NOSIGNAL))
                    guard count > 0 else { return false }
                    sent += count
                }
                return true
            }
        }

        public func pass() -> Bool { pass(bytes[...]) }
    }

    /// Passes a piece on, or not; false cuts its connection.
    public typealias Relay = @Sendable (_ piece: Piece) -> Bool

    private struct State {
        /// Of all open connections.
        var sockets: Set<Int32> = []
        var acceptedCount = 0
        var isRejecting = false
    }

    private let listener: ListeningSocket
    private let server: SocketAddress
    private let relay: Relay
    private let state = Lock(State())

    /// Listens on an address, for clients of the server.
    public init(
        on address: SocketAddress = .v4([127, 0, 0, 1], port: 0), to server: SocketAddress,
        _ relay: @escaping Relay
    ) throws {
        self.server = server
        self.relay = relay
        listener = try ListeningSocket(address)
        // Its thread blocks.
        guard fcntl(listener.raw, F_SETFL, 0) == 0 else { throw TestFailure.system("fcntl") }
        Self.start { [weak self, listener] in
            defer { listener.close() }
            while true {
                let client = accept(listener.raw, nil, nil)
                guard client >= 0 else { return }
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                guard let self else {
                    close(client)
                    return
                }
                self.serve(client)
            }
        }
    }

    deinit {
        shutdown(listener.raw, Int32(SHUT_RDWR))
        cutAll()
    }

    public var address: SocketAddress { listener.address }

    /// Cuts all connections, as if the network failed.
    public func cutAll() {
        state.withLock { state in
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    /// Whether new connections end at once.
    public func reject(_ isRejecting: Bool) { state.withLock { $0.isRejecting = isRejecting } }

    private func serve(_ client: Int32) {
        guard let upstream = try? RawConnection.socket(server) else {
            close(client)
            return
        }
        let connected = server.withSockaddr { connect(upstream, $0, $1) } == 0
        let number = state.withLock { state -> Int? in
            guard connected, !state.isRejecting else { return nil }
            state.sockets.formUnion([client, upstream])
            state.acceptedCount += 1
            return state.acceptedCount - 1
        }
        guard let number else {
            close(client)
            close(upstream)
            return
        }
        let pumps = DispatchGroup()
        Self.start(pumps) { [relay] in
            Self.pump(.toServer, number, from: client, to: upstream, relay)
        }
        Self.start(pumps) { [relay] in
            Self.pump(.toClient, number, from: upstream, to: client, relay)
        }
        pumps.notify(queue: .global()) { [state] in
            state.withLock { $0.sockets.subtract([client, upstream]) }
            close(client)
            close(upstream)
        }
    }

    /// Passes on bytes until an end, or until the test cuts the connection; then it ends both
    /// sides.
    private static func pump(
        _ direction: Direction, _ connection: Int, from source: Int32, to target: Int32,
        _ relay: Relay
    ) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        // Invariant: the test has decided on everything that was read before.
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { break }
            let piece = Piece(
                bytes: Array(buffer[..<count]), direction: direction, connection: connection,
                target: target)
            guard relay(piece) else { break }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }

    private static func start(
        _ group: DispatchGroup? = nil, _ body: @escaping @Sendable () -> Void
    ) {
        DispatchQueue(label: "proxy").async(group: group, execute: body)
    }
}
