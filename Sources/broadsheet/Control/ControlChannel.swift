import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A connection to the process that serves a database, over its control socket, on which something
/// else than HTTP is spoken (`Upgrade`, RFC 9110 §7.8).
enum ControlChannel {
    /// - Parameters:
    ///   - path: of the database.
    ///   - name: the protocol's.
    /// - Returns: `nil` where nobody serves the file.
    /// - Throws: `.unavailable` if the server does not know the protocol.
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
                    .unavailable, "\(path): the server that has it cannot do that; stop it first")
            default: throw CommandFailure(.unavailable, "\(socket): \(error)")
            }
        }
    }
}
