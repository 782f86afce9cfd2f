import Glibc

/// The turn of one process at the Unix sockets of a folder: to find a stale socket, remove it and
/// listen in its place takes several steps, and another process must not take any meanwhile.
///
/// It is a lock on the folder itself (`flock(2)`), so that no file is left beside the socket. Where
/// the folder cannot be read, or somebody keeps the lock for long, one goes on without.
struct PathTurn {
    private let folder: Int32
    private static let patienceMilliseconds: UInt32 = 2_000
    private static let stepMilliseconds: UInt32 = 5

    /// Waits for the turn; `nil` for an address that is no path.
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
