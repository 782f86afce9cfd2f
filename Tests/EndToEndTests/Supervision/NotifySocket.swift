import BroadsheetSockets
import BroadsheetTestSupport
import Glibc

/// A supervisor's end of `$NOTIFY_SOCKET`: a datagram socket, read message by message.
final class NotifySocket: Sendable {
    let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let bound = SocketAddress.unix(path).withSockaddr { bind(descriptor, $0, $1) }
        guard bound == 0 else { throw TestFailure("bind \(path)") }
    }

    deinit { close(descriptor) }

    /// The fields of the next message; `nil` if none comes.
    func next() -> [String: String]? {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, Patience.milliseconds) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        var fields: [String: String] = [:]
        for line in String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2 { fields[parts[0]] = parts[1] }
        }
        return fields
    }

    /// Discards the messages received so far.
    func forget() {
        var byte: UInt8 = 0
        while recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) >= 0 {}
    }

    /// The next message that is not a watchdog's.
    func nextState() -> [String: String]? {
        while let fields = next() {
            if fields["WATCHDOG"] == nil { return fields }
        }
        return nil
    }
}
