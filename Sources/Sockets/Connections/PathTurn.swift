import Glibc

/// Exclusive access of one process to the Unix sockets of a folder: detecting a stale socket,
/// removing it and listening in its place takes several steps that must not interleave.
///
/// It locks the folder itself (`flock(2)`), so that no lock file is left behind. If the folder
/// cannot be read, or the lock is held for long, the caller continues without it.
struct PathTurn {
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
