public import BroadsheetPlatform
import CBroadsheetLinux
import Glibc

/// A Unix socket between two processes that carries lines of text, some with a descriptor
/// (SCM_RIGHTS, unix(7)). Calls block; only one thread may use it at a time.
public final class DescriptorChannel: Sendable {
    private let socket: Int32
    private let pending = Lock(Pending())
    private let timeout = Lock(0)

    private struct Pending {
        var bytes: [UInt8] = []
        var descriptors: [Int32] = []
    }

    private static let limitLineBytes = 4_096

    /// - Parameter timeoutSeconds: The timeout of each message; 0: none.
    public init(_ socket: consuming Descriptor, timeoutSeconds: Int) throws(SystemError) {
        let raw = socket.raw
        _ = try retrying("fcntl") { fcntl(raw, F_SETFL, 0) }
        self.socket = socket.release()
        setTimeout(seconds: timeoutSeconds)
    }

    /// Connects to the peer that listens at the path (`connect(2)`).
    public static func connect(
        to path: String, timeoutSeconds: Int
    ) throws(SystemError) -> DescriptorChannel {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = Descriptor(try retrying("socket") { Glibc.socket(AF_UNIX, type, 0) })
        let raw = socket.raw
        _ = try retrying("connect") {
            SocketAddress.unix(path).withSockaddr { Glibc.connect(raw, $0, $1) }
        }
        return try DescriptorChannel(socket, timeoutSeconds: timeoutSeconds)
    }

    deinit {
        for descriptor in pending.withLock({ $0.descriptors }) { close(descriptor) }
        close(socket)
    }

    /// The process at the other end at the time of connecting.
    public var peerProcess: Int32? {
        let process = broadsheet_peer_process(socket)
        return process > 0 ? process : nil
    }

    /// The timeout of each message from now on, until its last byte; 0: unlimited while the peer is
    /// connected.
    public func setTimeout(seconds: Int) {
        timeout.withLock { $0 = seconds }
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, size)
    }

    /// Closes the connection in both directions, which also ends a waiting call.
    public func end() { shutdown(socket, Int32(SHUT_RDWR)) }

    // MARK: Sending

    /// Sends a line, optionally with a descriptor, which the caller keeps.
    public func send(_ line: String, with descriptor: Int32 = -1) throws(SystemError) {
        let bytes = Array("\(line)\n".utf8)
        var sent = 0
        var descriptor = descriptor
        // Invariant: the first `sent` bytes are sent, and the descriptor with the first of them.
        while sent < bytes.count {
            let count = try retrying("sendmsg") {
                bytes[sent...].withUnsafeBytes { rest in
                    rest.baseAddress.map {
                        broadsheet_send_with(socket, $0, UInt(rest.count), descriptor)
                    } ?? 0
                }
            }
            sent += count
            descriptor = -1
        }
    }

    // MARK: Receiving

    /// The next line; `nil` at the end of the stream.
    /// - Throws: `ETIMEDOUT` if it does not arrive in time.
    public func receiveLine() throws(SystemError) -> String? {
        let seconds = timeout.withLock { $0 }
        let deadline =
            seconds > 0 ? PollDeadline(milliseconds: Int64(seconds) * 1_000) : nil
        while true {
            if let line = try pending.withLock({ (pending) throws(SystemError) in
                try Self.takeLine(from: &pending)
            }) {
                return line
            }
            if let deadline { try wait(until: deadline) }
            guard try receive() else { return nil }
        }
    }

    /// The first received descriptor that was not taken; it arrived with or before the last line.
    public func takeDescriptor() -> Descriptor? {
        pending.withLock { $0.descriptors.isEmpty ? nil : $0.descriptors.removeFirst() }
            .map { Descriptor($0) }
    }

    private static func takeLine(from pending: inout Pending) throws(SystemError) -> String? {
        guard let end = pending.bytes.firstIndex(of: 0x0A) else {
            // No valid message is that long, so the peer does not speak this protocol.
            guard pending.bytes.count <= limitLineBytes else {
                throw SystemError("recvmsg", code: EMSGSIZE)
            }
            return nil
        }
        let line = pending.bytes[..<end]
        pending.bytes.removeFirst(end + 1)
        return String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
    }

    private func wait(until deadline: PollDeadline) throws(SystemError) {
        guard try deadline.waits(for: POLLIN, of: socket) else {
            throw SystemError("recvmsg", code: ETIMEDOUT)
        }
    }

    private func receive() throws(SystemError) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        var descriptor: Int32 = -1
        let count = try retrying("recvmsg") {
            bytes.withUnsafeMutableBytes { room in
                room.baseAddress.map {
                    broadsheet_receive_with(socket, $0, UInt(room.count), &descriptor)
                } ?? 0
            }
        }
        pending.withLock { pending in
            if descriptor >= 0 { pending.descriptors.append(descriptor) }
            pending.bytes += bytes.prefix(count)
        }
        return count > 0
    }
}
