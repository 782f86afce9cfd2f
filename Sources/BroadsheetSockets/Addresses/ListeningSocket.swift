public import BroadsheetPlatform
import CBroadsheetLinux
import Glibc

extension SocketAddress {
    /// Checks whether a server could listen here, without touching the file of a Unix socket.
    public func tryListening() throws(SystemError) {
        if case .unix = self { return }
        _ = try ListeningSocket(self)
    }
}

/// A listening socket (`listen(2)`). Closing it removes the file of a Unix socket if this process
/// created it.
public final class ListeningSocket: Sendable {
    public let raw: Int32
    private let state: Lock<State>
    /// The bound address with its actual port.
    public let address: SocketAddress

    private struct State {
        var isClosed = false
        var ownsFile: Bool
    }

    /// Identifies a file independently of its name.
    private struct FileIdentity: Equatable {
        let device: dev_t
        let number: ino_t

        init(_ status: stat) { (device, number) = (status.st_dev, status.st_ino) }
    }

    /// The file of a Unix socket when it was created.
    private let file: FileIdentity?

    /// - Parameter access: The access to a Unix socket.
    public init(
        _ address: SocketAddress, access: SocketAccess = SocketAccess(), backlog: Int32 = 4_096
    ) throws(SystemError) {
        // Until it listens, another process would consider the socket stale.
        let turn = SocketFolderLock(address)
        defer { turn?.end() }
        if case .unix(let path) = address { try Self.removeStale(path) }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Descriptor(try retrying("socket") { socket(address.family, type, 0) })
        let raw = descriptor.raw
        var one: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        if case .unix = address {
        } else {
            _ = try retrying("setsockopt") {
                setsockopt(raw, SOL_SOCKET, SO_REUSEADDR, &one, size)
            }
        }
        if case .v6 = address {
            _ = try retrying("setsockopt") {
                setsockopt(raw, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &one, size)
            }
        }
        // The mode with which the file is created, but for the bits of the umask (unix(7)).
        if case .unix = address, let mode = access.mode {
            _ = try retrying("fchmod") { fchmod(raw, mode_t(mode)) }
        }
        _ = try retrying("bind") { address.withSockaddr { bind(raw, $0, $1) } }
        let bound = try Self.boundAddress(raw)
        let file = Self.file(of: bound)
        do throws(SystemError) {
            // Nobody can connect before it listens.
            try Self.allow(access, at: bound, file)
            _ = try retrying("listen") { listen(raw, backlog) }
        } catch {
            if case .unix(let path) = bound, Self.file(of: bound) == file { unlink(path) }
            throw error
        }
        self.address = bound
        self.raw = descriptor.release()
        self.file = file
        state = Lock(State(ownsFile: true))
    }

    /// A listening socket that another process created; a Unix socket's file remains that
    /// process's.
    ///
    /// - Throws: `EINVAL` for any other descriptor.
    public init(adopting descriptor: consuming Descriptor) throws(SystemError) {
        let raw = descriptor.raw
        var listens: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        _ = try retrying("getsockopt") {
            getsockopt(raw, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size)
        }
        guard listens == 1 else { throw SystemError("accept", code: EINVAL) }
        _ = try retrying("fcntl") { fcntl(raw, F_SETFL, O_NONBLOCK) }
        _ = try retrying("fcntl") { fcntl(raw, F_SETFD, FD_CLOEXEC) }
        address = try Self.boundAddress(raw)
        self.raw = descriptor.release()
        file = Self.file(of: address)
        state = Lock(State(ownsFile: false))
    }

    private static func file(of address: SocketAddress) -> FileIdentity? {
        guard case .unix(let path) = address else { return nil }
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return FileIdentity(status)
    }

    /// Changes who may connect to a Unix socket, unless another file has taken its place.
    public func allow(_ access: SocketAccess) throws(SystemError) {
        try Self.allow(access, at: address, file)
    }

    private static func allow(
        _ access: SocketAccess, at address: SocketAddress, _ file: FileIdentity?
    ) throws(SystemError) {
        guard case .unix(let path) = address else { return }
        try access.apply(toFileAt: path) { FileIdentity($0) == file }
    }

    /// Sets if closing removes the file of a Unix socket.
    public func ownFile(_ ownsFile: Bool) { state.withLock { $0.ownsFile = ownsFile } }

    deinit { close() }

    /// Refuses connections from now on. Nothing may be accepting at the same time.
    public func close() {
        let (wasClosed, ownsFile) = state.withLock { state in
            defer { state.isClosed = true }
            return (state.isClosed, state.ownsFile)
        }
        guard !wasClosed else { return }
        // The file is removed first: while a client can connect at the path, no other server has
        // bound it.
        if ownsFile, case .unix(let path) = address, Self.file(of: address) == file {
            unlink(path)
        }
        Glibc.close(raw)
    }

    /// The next connection and its peer; `nil` if none is waiting.
    func accept() throws(SystemError) -> (descriptor: Int32, peer: SocketAddress)? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                (broadsheet_accept(raw, pointer, &length), SocketAddress(pointer))
            }
        }
        guard result.0 >= 0 else {
            if errno == EAGAIN || errno == EINTR { return nil }
            throw .last("accept4")
        }
        if case .unix = address { return (result.0, address) }
        var one: Int32 = 1
        setsockopt(
            result.0, Int32(IPPROTO_TCP), TCP_NODELAY, &one,
            socklen_t(MemoryLayout<Int32>.size))
        return (result.0, result.1 ?? address)
    }

    private static func boundAddress(_ raw: Int32) throws(SystemError) -> SocketAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                (getsockname(raw, pointer, &length), SocketAddress(pointer))
            }
        }
        guard result.0 == 0, let bound = result.1 else { throw .last("getsockname") }
        return bound
    }

    /// Removes the file of a stale Unix socket; anything else is left alone, and `bind` then
    /// reports that the address is in use.
    private static func removeStale(_ path: String) throws(SystemError) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
        // If the server's queue is full, `connect` would block; non-blocking, it fails with EAGAIN,
        // which shows that a server is there.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let probe = Descriptor(try retrying("socket") { socket(AF_UNIX, type, 0) })
        let isAccepting = SocketAddress.unix(path).withSockaddr { connect(probe.raw, $0, $1) } == 0
        if !isAccepting, errno == ECONNREFUSED { unlink(path) }
    }
}

/// Exclusive access of one process to the Unix sockets of a folder: detecting a stale socket,
/// removing it and listening in its place takes several steps that must not interleave.
///
/// It locks the folder itself (`flock(2)`), so that no lock file is left behind. If the folder
/// cannot be read, or the lock is held for long, the caller continues without it.
struct SocketFolderLock {
    private let folder: Int32
    private static let patienceMilliseconds: UInt32 = 2_000
    private static let stepMilliseconds: UInt32 = 5

    /// Waits for the lock; `nil` for an address that is not a path.
    init?(_ address: SocketAddress) {
        guard case .unix(let path) = address else { return nil }
        let cut = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = cut.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        var waited: UInt32 = 0
        while flock(folder, LOCK_EX | LOCK_NB) != 0, waited < Self.patienceMilliseconds {
            usleep(Self.stepMilliseconds * 1_000)
            waited += Self.stepMilliseconds
        }
    }

    func end() {
        if folder >= 0 { close(folder) }
    }
}
