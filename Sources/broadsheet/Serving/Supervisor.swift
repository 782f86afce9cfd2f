import BroadsheetCommandLine
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import Dispatch
import Glibc

/// Notifies a supervisor of the server's state by datagrams to `$NOTIFY_SOCKET` (sd_notify(3)).
/// Without that variable nothing is sent; a failure to send is ignored.
struct Supervisor: Sendable {
    /// The socket's path, or `@` and its abstract name.
    private let socketName: String?
    /// The interval within which it expects a keep-alive, in microseconds (`WatchdogSec=`).
    let watchdogMicroseconds: Int64?

    init(environment variable: (String) -> String? = Environment.value) {
        socketName = variable("NOTIFY_SOCKET").flatMap {
            $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil
        }
        let isForUs = variable("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
        watchdogMicroseconds =
            isForUs ? variable("WATCHDOG_USEC").flatMap { Int64($0) }.filter { $0 > 0 } : nil
    }

    /// True if there is a supervisor to notify.
    var isPresent: Bool { socketName != nil }

    /// All sockets are open, and requests are served.
    func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }

    /// Certificates are being reloaded, or another process takes over; `ready` ends this state.
    func reloading() {
        let microseconds = SystemClock.monotonicNanoseconds / 1_000
        send("RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
    }

    func stopping() { send("STOPPING=1\nSTATUS=finishing requests in flight") }

    /// Makes the successor the main process. Only the old process is allowed to send this.
    func succeeded(by process: Int32) {
        send("MAINPID=\(process)\nREADY=1\nSTATUS=serving after a takeover")
    }

    /// The start takes longer, for this reason, than the supervisor would allow.
    func waiting(_ reason: String) {
        let line = reason.split(separator: "\n").first ?? ""
        send("EXTEND_TIMEOUT_USEC=\(Self.extensionMicroseconds)\nSTATUS=waiting: \(line)")
    }

    private static let extensionMicroseconds = 60_000_000

    func isAlive() { send("WATCHDOG=1") }

    private func send(_ text: String) {
        guard let socketName else { return }
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // A supervisor that does not read must not block the server.
        var patience = timeval(tv_sec: 1, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var path = Array(socketName.utf8)
        guard path.count <= SocketAddress.limitUnixPathBytes else { return }
        if socketName.hasPrefix("@") { path[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        // An abstract name ends where the length says, without a zero (unix(7)).
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        let length = socklen_t(offset + path.count)
        let bytes = Array(text.utf8)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), pointer, length)
            }
        }
    }
}

extension Optional {
    /// The value, if it satisfies the predicate.
    fileprivate func filter(_ isIncluded: (Wrapped) -> Bool) -> Wrapped? {
        flatMap { isIncluded($0) ? $0 : nil }
    }
}

/// Sends keep-alives to a supervisor at half its interval, as long as every event loop runs new
/// work. If a loop hangs, the supervisor restarts the server.
struct Watchdog {
    private let timer: any DispatchSourceTimer
    private let isStopped = Lock(false)

    /// - Parameter server: the server whose loops must respond.
    /// - Returns: `nil` if the supervisor expects no keep-alives.
    init?(_ supervisor: Supervisor, _ server: HTTPServer) {
        guard supervisor.isPresent, let interval = supervisor.watchdogMicroseconds else {
            return nil
        }
        timer = DispatchSource.makeTimerSource(
            queue: DispatchQueue(label: "broadsheet.watchdog"))
        timer.schedule(deadline: .now(), repeating: .microseconds(Int(interval / 2)))
        timer.setEventHandler { [isStopped] in
            server.whenResponsive {
                isStopped.withLock { if !$0 { supervisor.isAlive() } }
            }
        }
        timer.activate()
    }

    /// Stops. No keep-alive is sent afterwards, even if a loop responds late.
    func stop() {
        timer.cancel()
        isStopped.withLock { $0 = true }
    }
}

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

extension TransportConfiguration {
    /// Rejects sockets of a supervisor that could not be served: they need the same settings as
    /// the corresponding flags.
    func check(activated sockets: ListenerSockets) throws(CommandFailure) {
        let roles = sockets.all.filter(\.isActivated).map(\.role)
        if roles.contains(.proxied), trustedProxies.isEmpty {
            throw CommandFailure(
                .configuration,
                "a socket named proxied needs --trusted-proxy: other peers are rejected")
        }
        if roles.contains(.redirect), certificates.isEmpty {
            throw CommandFailure(
                .configuration, "a socket named redirect needs --tls-certificate and --tls-key")
        }
    }
}
