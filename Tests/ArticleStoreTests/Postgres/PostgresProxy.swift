import Dispatch
import Glibc
import Platform
import TestSupport

@testable import ArticleDatabase

/// Between a store and its server: it can cut the connection that commits, before the server gets
/// the request or before the store gets the response.
final class PostgresProxy: Sendable {
    /// What happens to the next connection that commits, once.
    enum Cut: Sendable {
        case beforeRequest, beforeResponse
    }

    private struct State {
        var cut: Cut?
        var sockets: [Int32] = []
        var isRefusing = false
        var requests = 0
    }

    private let folder: TemporaryFolder
    private let listener: Int32
    private let server: String
    /// What a commit contains.
    private let commit: String
    private let state = Lock(State())
    /// Entered while nothing is passed on.
    private let gate = DispatchGroup()

    /// - Parameters:
    ///   - server: the folder of the server's socket.
    ///   - commit: the text by which a commit is recognized.
    init(to server: String, commit: String = "; COMMIT") throws {
        self.server = server
        self.commit = commit
        folder = try TemporaryFolder()
        listener = Self.makeSocket()
        let bound = Self.withAddress(folder.file(".s.PGSQL.5432")) { bind(listener, $0, $1) }
        guard bound == 0, listen(listener, 64) == 0 else {
            throw TestFailure("bind: error \(errno)")
        }
        Self.start { [weak self, listener] in
            defer { close(listener) }
            while true {
                let client = accept(listener, nil, nil)
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
        shutdown(listener, Int32(SHUT_RDWR))
        cutAll()
    }

    /// The same database, through this proxy.
    func address(of address: PostgresAddress) throws -> PostgresAddress {
        try PostgresAddress(address.text.replacing(server, with: folder.path))
    }

    /// How often clients have sent something.
    var requests: Int { state.withLock { $0.requests } }

    func cutNextCommit(_ cut: Cut) { state.withLock { $0.cut = cut } }

    /// Cuts all connections, as if the network failed.
    func cutAll() {
        state.withLock { state in
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
            state.sockets = []
        }
    }

    /// Passes nothing on from now on, as if packets were lost.
    func hold() { gate.enter() }

    func release() { gate.leave() }

    /// Whether new connections end at once.
    func refuse(_ isRefusing: Bool) { state.withLock { $0.isRefusing = isRefusing } }

    private func serve(_ client: Int32) {
        let upstream = Self.makeSocket()
        let connected = Self.withAddress("\(server)/.s.PGSQL.5432") { connect(upstream, $0, $1) }
        guard connected == 0, !state.withLock({ $0.isRefusing }) else {
            close(client)
            close(upstream)
            return
        }
        state.withLock { $0.sockets += [client, upstream] }
        let cutsResponse = Lock(false)
        let pumps = DispatchGroup()
        Self.start(pumps) { [weak self, gate, commit] in
            Self.pump(client, upstream) { bytes in
                gate.wait()
                self?.state.withLock { $0.requests += 1 }
                guard bytes.contains(commit), let cut = self?.takeCut() else { return true }
                if cut == .beforeResponse { cutsResponse.withLock { $0 = true } }
                return cut == .beforeResponse
            }
        }
        Self.start(pumps) { [gate] in
            Self.pump(upstream, client) { _ in
                gate.wait()
                return !cutsResponse.withLock { $0 }
            }
        }
        pumps.notify(queue: .global()) { [weak self] in
            self?.state.withLock { state in
                state.sockets.removeAll { $0 == client || $0 == upstream }
            }
            close(client)
            close(upstream)
        }
    }

    private func takeCut() -> Cut? { state.withLock { $0.cut.take() } }

    /// Passes on bytes until an end, or until `allows` rejects some; then it ends both sides.
    private static func pump(
        _ source: Int32, _ target: Int32, _ allows: (_ text: String) -> Bool
    ) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        // Invariant: everything that was read before was passed on.
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0, allows(String(decoding: buffer[..<count], as: UTF8.self)) else {
                break
            }
            var sent = 0
            while sent < count {
                let written = buffer[sent..<count].withUnsafeBytes {
                    send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard written > 0 else { break }
                sent += written
            }
            guard sent == count else { break }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }

    private static func start(
        _ group: DispatchGroup? = nil, _ body: @escaping @Sendable () -> Void
    ) {
        DispatchQueue(label: "proxy").async(group: group, execute: body)
    }

    private static func makeSocket() -> Int32 {
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
