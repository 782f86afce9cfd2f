import BroadsheetPlatform
import BroadsheetSockets

/// The socket next to a served file, `<database>.control`, through which the operator's commands
/// reach the process that owns the file.
enum ControlSocket {
    /// - Parameter database: the value of `--database`.
    static func path(ofDatabase database: String) -> String {
        path(beside: Database.path(of: database))
    }

    /// Returns true if a process listens on the socket.
    static func isServed(ofDatabase database: String) -> Bool {
        let path = path(ofDatabase: database)
        guard path.utf8.count <= SocketAddress.limitUnixPathBytes else { return false }
        do throws(SystemError) {
            _ = try DescriptorChannel.connect(to: path, timeoutSeconds: 1)
            return true
        } catch { return false }
    }

    static func path(beside path: String) -> String { path + ".control" }
}
