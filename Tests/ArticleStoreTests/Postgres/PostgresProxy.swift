import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Dispatch

@testable import ArticleDatabase

/// Between a store and its server: it can cut the connection that commits, before the server gets
/// the request or before the store gets the response.
final class PostgresProxy: Sendable {
    /// The treatment of the next connection that commits, once.
    enum Cut: Sendable {
        case beforeRequest, beforeResponse
    }

    private struct State {
        var cut: Cut?
        /// The connections whose responses are not passed on.
        var muted: Set<Int> = []
        var requests = 0

        /// Returns true if a piece is passed on.
        mutating func passes(_ piece: SocketProxy.Piece, _ commit: String) -> Bool {
            guard piece.direction == .toServer else { return !muted.contains(piece.connection) }
            requests += 1
            guard let cut, String(decoding: piece.bytes, as: UTF8.self).contains(commit) else {
                return true
            }
            self.cut = nil
            guard cut == .beforeResponse else { return false }
            muted.insert(piece.connection)
            return true
        }
    }

    private let folder: TemporaryFolder
    private let server: String
    private let proxy: SocketProxy
    private let state: Lock<State>
    /// Entered while nothing is passed on.
    private let gate: DispatchGroup

    /// - Parameters:
    ///   - server: the folder of the server's socket.
    ///   - commit: the text by which a commit is recognized.
    init(to server: String, commit: String = "; COMMIT") throws {
        let (state, gate) = (Lock(State()), DispatchGroup())
        self.server = server
        self.state = state
        self.gate = gate
        folder = try TemporaryFolder()
        let socket = ".s.PGSQL.5432"
        proxy = try SocketProxy(on: .unix(folder.file(socket)), to: .unix("\(server)/\(socket)")) {
            piece in
            gate.wait()
            let passes = state.withLock { $0.passes(piece, commit) }
            return passes && piece.pass()
        }
    }

    /// The same database, through this proxy.
    func address(of address: PostgresAddress) throws -> PostgresAddress {
        try PostgresAddress(address.text.replacing(server, with: folder.path))
    }

    /// The number of times that clients have sent something.
    var requests: Int { state.withLock { $0.requests } }

    func cutNextCommit(_ cut: Cut) { state.withLock { $0.cut = cut } }

    /// Cuts all connections, as if the network failed.
    func cutAll() { proxy.cutAll() }

    /// Passes nothing on from now on, as if packets were lost.
    func hold() { gate.enter() }

    func release() { gate.leave() }

    /// Sets if new connections end at once.
    func refuse(_ isRefusing: Bool) { proxy.reject(isRefusing) }
}
