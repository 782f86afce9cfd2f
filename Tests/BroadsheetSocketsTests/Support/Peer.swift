import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc

@testable import BroadsheetSockets

/// The other side of a connection: a blocking socket with a timeout.
final class Peer: Sendable {
    private let descriptor: Descriptor
    private var raw: Int32 { descriptor.raw }

    init(_ raw: Int32) {
        descriptor = Descriptor(raw)
        var patience = timeval(tv_sec: Patience.seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(raw, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        setsockopt(raw, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
    }

    /// Connects (`connect(2)`).
    convenience init(
        to address: SocketAddress, receiveBufferBytes: Int32? = nil
    ) throws(SystemError) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        self.init(try retrying("socket") { socket(address.family, type, 0) })
        if var bytes = receiveBufferBytes {
            setsockopt(raw, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        let raw = raw
        _ = try retrying("connect") { address.withSockaddr { connect(raw, $0, $1) } }
    }

    /// A connected pair of Unix sockets; the channel's side is non-blocking.
    static func pair() throws(SystemError) -> (peer: Peer, channel: Int32) {
        var sides: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        _ = try retrying("socketpair") { socketpair(AF_UNIX, type, 0, &sides) }
        _ = try retrying("fcntl") { fcntl(sides[1], F_SETFL, O_NONBLOCK) }
        return (Peer(sides[0]), sides[1])
    }

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// Exactly so many bytes; fewer if the connection ends before.
    func receive(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        while received < count {
            let more = bytes[received...].withUnsafeMutableBytes {
                recv(raw, $0.baseAddress, $0.count, 0)
            }
            guard more > 0 else { break }
            received += more
        }
        return Array(bytes[..<received])
    }

    /// Everything until the end of the stream.
    func receiveAll() -> [UInt8] {
        var all: [UInt8] = []
        while case let piece = receive(64 << 10), !piece.isEmpty { all += piece }
        return all
    }

    /// The result of `recv` now: 0 for the end of the stream, or a negative `errno`.
    func receiveState() -> Int {
        var byte: UInt8 = 0
        let count = recv(raw, &byte, 1, 0)
        return count < 0 ? -Int(errno) : count
    }

    func shutdownWrite() { shutdown(raw, Int32(SHUT_WR)) }

    /// Makes the last release of the socket reset the connection (`RST`).
    func endsWithReset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            raw, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }
}
