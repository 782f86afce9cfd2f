import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Dispatch

/// A network between clients and a server that fails once, in the middle of what a connection
/// carries.
final class FailingNetwork: Sendable {
    enum Failure: String, CaseIterable, Sendable {
        /// The connection ends.
        case cut
        /// The connection is reset.
        case reset
        /// From then on nothing arrives on the connection, in either direction.
        case stall
        /// The rest comes late: with `resume()`.
        case delay
    }

    /// After how many bytes in a direction, of all connections, it fails.
    struct Place: Sendable, CustomStringConvertible {
        let direction: SocketProxy.Direction
        let bytes: Int

        var description: String { "\(direction) after \(bytes) bytes" }
    }

    private struct State {
        var carried: [SocketProxy.Direction: Int] = [:]
        /// The connection that has failed.
        var failed: Int?
        var isResumed = false

        /// Returns the number of bytes of the piece that still arrive, if it is the one with the
        /// place.
        mutating func fail(_ piece: SocketProxy.Piece, at place: Place?) -> Int? {
            let before = carried[piece.direction, default: 0]
            carried[piece.direction] = before + piece.bytes.count
            guard let place, failed == nil, piece.direction == place.direction,
                before + piece.bytes.count > place.bytes
            else { return nil }
            failed = piece.connection
            return place.bytes - before
        }
    }

    private let proxy: SocketProxy
    private let state: Lock<State>
    /// Entered while connections wait for `resume()`.
    private let gate: DispatchGroup

    /// - Parameter place: `nil`: it never fails.
    init(to server: SocketAddress, _ failure: Failure, at place: Place?) throws {
        let (state, gate) = (Lock(State()), DispatchGroup())
        self.state = state
        self.gate = gate
        gate.enter()
        proxy = try SocketProxy(to: server) { piece in
            let count = state.withLock { $0.fail(piece, at: place) }
            guard let count else {
                let hasFailed = state.withLock { $0.failed == piece.connection }
                guard failure == .stall, hasFailed else { return piece.pass() }
                gate.wait()
                return false
            }
            let isOpen = piece.pass(piece.bytes[..<count])
            switch failure {
            case .cut: return false
            case .reset:
                piece.reset()
                return false
            case .stall:
                gate.wait()
                return false
            case .delay:
                gate.wait()
                return isOpen && piece.pass(piece.bytes[count...])
            }
        }
    }

    deinit { resume() }

    var address: SocketAddress { proxy.address }

    /// True if it has failed.
    var hasFailed: Bool { state.withLock { $0.failed != nil } }

    /// The number of bytes so far.
    func carried(_ direction: SocketProxy.Direction) -> Int {
        state.withLock { $0.carried[direction, default: 0] }
    }

    /// Lets late bytes arrive, and ends stalled connections.
    func resume() {
        let isFirst = state.withLock { state in
            defer { state.isResumed = true }
            return !state.isResumed
        }
        if isFirst { gate.leave() }
    }
}
