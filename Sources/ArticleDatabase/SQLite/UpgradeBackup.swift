public import ArticleStore
import BroadsheetPlatform
import Glibc

/// A copy of a database file from before another version of the program opened it, to be restored
/// if that one fails. It is deleted with this object, unless it was restored.
public final class UpgradeBackup: Sendable {
    private let path: String
    private let copy: TemporaryFile
    /// True if the copy is closed, because it becomes the database.
    private let isClosed = Lock(false)
    private static let pieceBytes = 4 << 20

    /// Copies a closed file to its folder.
    ///
    /// - Parameter goesOn: called after each chunk; the copy is aborted when it returns `false`.
    public init(of path: String, while goesOn: () -> Bool) throws(StoreOpeningError) {
        self.path = path
        do throws(SystemError) { copy = try TemporaryFile(path) } catch {
            throw .failed(path: path, reason: "\(error)")
        }
        // A database that was closed cleanly has no log.
        var log = stat()
        guard stat(path + "-wal", &log) != 0 || log.st_size == 0 else {
            throw .failed(path: path, reason: "another program is using its log")
        }
        try fill(while: goesOn)
    }

    deinit {
        guard !isClosed.withLock({ $0 }) else { return }
        unlink(copy.path)
        close(copy.descriptor)
    }

    private func fill(while goesOn: () -> Bool) throws(StoreOpeningError) {
        let opened = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard opened >= 0 else { throw failure }
        let source = Descriptor(opened)
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        // Invariant: everything before the positions of both descriptors is copied.
        while true {
            let count = read(source.raw, &piece, piece.count)
            guard count >= 0 else { throw failure }
            if count == 0 { return }
            do throws(SystemError) {
                try FileSystem.write(piece[..<count], to: copy.descriptor)
            } catch {
                throw error.code == ENOSPC
                    ? .noRoom : .failed(path: copy.path, reason: error.reason)
            }
            guard goesOn() else { throw .failed(path: path, reason: "the copy was aborted") }
        }
    }

    /// Restores the file if the current one cannot be opened by this version.
    /// - Returns: true if it was restored.
    public func restoreIfNeeded() throws(StoreOpeningError) -> Bool {
        do throws(StoreOpeningError) {
            let file = try DatabaseFile(path: path, mayCreate: false)
            try file.verify(.bundled, mode: .existing)
            return false
        } catch .owned(let path) { throw .owned(path: path) } catch {
            // The other version has changed it.
        }
        let place = try DatabaseReplacement(path: path)
        closeCopy()
        let failed = copy.path + "-failed"
        try place.put(copy.path, keepingOldAs: failed)
        for ending in ["", "-wal", "-journal"] { unlink(failed + ending) }
        return true
    }

    /// Closes the copy before it becomes the database. If it stayed open, it would stay locked, and
    /// the database would appear to be in use; closing it later would release SQLite's locks on the
    /// database (`fcntl(2)`).
    private func closeCopy() {
        isClosed.withLock { isClosed in
            if !isClosed { close(copy.descriptor) }
            isClosed = true
        }
    }

    private var failure: StoreOpeningError {
        .failed(path: copy.path, reason: String(cString: strerror(errno)))
    }
}
