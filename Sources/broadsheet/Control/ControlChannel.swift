import Platform
import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A connection to the process that serves a database, over its control socket, that is upgraded to
/// another protocol than HTTP (`Upgrade`, RFC 9110 §7.8).
enum ControlChannel {
    /// - Parameters:
    ///   - path: the path of the database.
    ///   - name: the name of the protocol.
    /// - Returns: `nil` if no server is running for the database.
    /// - Throws: `.unavailable` if the server does not support the protocol.
    static func open(
        ofDatabase path: String, for name: String, timeoutSeconds: Int
    ) throws(CommandFailure) -> DescriptorChannel? {
        let socket = ControlServer.path(of: Files.resolved(path))
        guard socket.utf8.count <= SocketAddress.unixPathLimit else { return nil }
        do throws(SystemError) {
            let channel = try DescriptorChannel.connect(to: socket, timeoutSeconds: timeoutSeconds)
            try channel.send(
                "GET /control/state HTTP/1.1\r\nHost: control\r\nConnection: Upgrade\r\n"
                    + "Upgrade: \(name)\r\n\r")
            guard try channel.receiveLine()?.hasPrefix("HTTP/1.1 101 ") ?? false else {
                throw SystemError("upgrade", code: EPROTONOSUPPORT)
            }
            while let line = try channel.receiveLine(), !line.isEmpty {}
            return channel
        } catch {
            switch error.code {
            case ENOENT, ECONNREFUSED: return nil
            case EPROTONOSUPPORT:
                throw CommandFailure(
                    .unavailable, "\(path): the running server does not support this; stop it first"
                )
            default: throw CommandFailure(.unavailable, "\(socket): \(error)")
            }
        }
    }
}
