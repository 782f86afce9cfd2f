#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A throwaway database in its own folder, for dry runs.
struct ScratchDatabase {
    private let folder: String
    var path: String { "\(folder)/trial.db" }

    /// Creates the folder in `TMPDIR` or /tmp (`mkdtemp(3)`).
    init() throws(CommandFailure) {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/broadsheet.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Files.failure("cannot create a folder in \(base)", .cannotCreate)
        }
        folder = template.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { String(cString: $0) } ?? base
        }
    }

    func remove() {
        for ending in ["", "-wal", "-shm", ".lock"] { unlink(path + ending) }
        rmdir(folder)
    }
}
