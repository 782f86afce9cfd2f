import Platform
import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Sockets that a supervisor has opened for this process (sd_listen_fds(3)): descriptors from 3 on,
/// as many as `LISTEN_FDS` says, named by `LISTEN_FDNAMES`.
enum ActivatedSockets {
    private static let first: Int32 = 3

    /// The descriptors passed to this process, with their roles. A name is a role (`admin`,
    /// `proxied`, `redirect`); any other name means articles.
    static func listed(
        _ variable: (String) -> String?, process: Int32 = getpid()
    ) -> [(descriptor: Int32, role: ListenerSockets.Role)] {
        guard variable("LISTEN_PID") == "\(process)",
            let count = variable("LISTEN_FDS").flatMap({ Int32($0) }), (1...1_024).contains(count)
        else { return [] }
        let names = (variable("LISTEN_FDNAMES") ?? "").split(
            separator: ":", omittingEmptySubsequences: false)
        return (0..<count).map { index in
            let name = names.indices.contains(Int(index)) ? String(names[Int(index)]) : ""
            let role = ListenerSockets.Role(rawValue: name) ?? .articles
            return (first + index, role == .control ? .articles : role)
        }
    }

    /// Adopts the sockets, and unsets the variables so that child processes do not see them.
    static func take(into sockets: ListenerSockets) throws(CommandFailure) {
        let listed = listed(Environment.value)
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        for (descriptor, role) in listed {
            do throws(SystemError) {
                let socket = try ListeningSocket(adopting: Descriptor(descriptor))
                sockets.add(socket, role, for: socket.address, activated: true)
            } catch {
                throw CommandFailure(
                    .configuration, "descriptor \(descriptor) of LISTEN_FDS: not a listening socket"
                )
            }
        }
    }
}
