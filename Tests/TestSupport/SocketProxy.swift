import BroadsheetPlatform
public import BroadsheetSockets
import Dispatch
import Glibc

/// A proxy of bytes, on which a test decides: it passes them on, keeps them back, or cuts or resets
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
        fileprivate let link: Link

        /// Sends bytes to where the piece was going; false if that has closed the connection.
        @discardableResult
        public func pass(_ bytes: ArraySlice<UInt8>) -> Bool {
            let target = link.target(direction)
            return bytes.withUnsafeBytes { bytes in
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

        /// Makes its connection end with a reset (`RST`) on both sides once the relay returns
        /// false.
        public func reset() { link.reset() }
    }

    /// The two sockets of a connection.
    fileprivate final class Link: Sendable {
        let client: Int32
        let upstream: Int32
        private let isReset = Lock(false)

        init(client: Int32, upstream: Int32) {
            self.client = client
            self.upstream = upstream
        }

        func source(_ direction: Direction) -> Int32 {
            direction == .toServer ? client : upstream
        }

        func target(_ direction: Direction) -> Int32 {
            direction == .toServer ? upstream : client
        }

        /// A socket that does not linger is reset when it is closed (`SO_LINGER`, socket(7)).
        func reset() {
            isReset.withLock { $0 = true }
            var linger = linger(l_onoff: 1, l_linger: 0)
            let size = socklen_t(MemoryLayout.size(ofValue: linger))
            for socket in [client, upstream] {
                setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, size)
            }
        }

        /// Makes both directions end. Before a reset, the peers are not told.
        func end() {
            let isReset = isReset.withLock { $0 }
            for socket in [client, upstream] {
                shutdown(socket, Int32(isReset ? SHUT_RD : SHUT_RDWR))
            }
        }

        func close() {
            Glibc.close(client)
            Glibc.close(upstream)
        }
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

    /// Sets if new connections end at once.
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
        let link = Link(client: client, upstream: upstream)
        let pumps = DispatchGroup()
        for direction in Direction.allCases {
            Self.start(pumps) { [relay] in Self.pump(direction, number, link, relay) }
        }
        pumps.notify(queue: .global()) { [state] in
            state.withLock { $0.sockets.subtract([client, upstream]) }
            link.close()
        }
    }

    /// Passes on bytes until an end, or until the test cuts the connection; then it ends both
    /// sides.
    private static func pump(
        _ direction: Direction, _ connection: Int, _ link: Link, _ relay: Relay
    ) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        // Invariant: the test has decided on everything that was read before.
        while true {
            let count = read(link.source(direction), &buffer, buffer.count)
            guard count > 0 else { break }
            let piece = Piece(
                bytes: Array(buffer[..<count]), direction: direction, connection: connection,
                link: link)
            guard relay(piece) else { break }
        }
        link.end()
    }

    private static func start(
        _ group: DispatchGroup? = nil, _ body: @escaping @Sendable () -> Void
    ) {
        DispatchQueue(label: "proxy").async(group: group, execute: body)
    }
}
