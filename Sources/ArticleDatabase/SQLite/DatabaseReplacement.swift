public import ArticleStore
import BroadsheetPlatform
import Glibc

/// The path of a database that is to be replaced, locked against other processes.
public final class DatabaseReplacement {
    let file: DatabaseFile
    /// True if there is a non-empty file.
    public let isTaken: Bool
    private var isDone = false

    /// The path with symbolic links resolved.
    public var path: String { file.path }

    /// - Throws: `.owned` if the existing file is being served or used.
    public init(path: String) throws(StoreOpeningError) {
        file = try DatabaseFile(path: path, mayCreate: true)
        isTaken = try file.inspect() != .empty
    }

    /// Removes the file if it was only a placeholder.
    deinit {
        if !isTaken, !isDone { unlink(path) }
    }

    /// Moves a settled copy from the same folder to this path. The existing file is renamed to
    /// `name`. If the machine stops at any time, one of both is complete at this path: before
    /// anything is moved, the old database is checkpointed into its file.
    ///
    /// - Throws: `.noRoom`, or another error that prevents emptying the old database's log.
    public func put(_ copy: String, keepingOldAs name: String) throws(StoreOpeningError) {
        try put(copy, keepingOldAs: name) { () throws(StoreOpeningError) in }
    }

    /// - Parameter step: called between any two steps.
    func put(
        _ copy: String, keepingOldAs name: String,
        between step: () throws(StoreOpeningError) -> Void
    ) throws(StoreOpeningError) {
        try keepOwner(of: copy)
        try step()
        if isTaken {
            try emptyLog()
            try step()
            try keepOld(as: name)
            try step()
        }
        // The old file's log must never be applied to the new one.
        for ending in ["-wal", "-journal"] {
            try move(path + ending, to: name + ending)
            try step()
        }
        unlink(path + "-shm")
        try step()
        guard rename(copy, path) == 0 else { throw failure(path) }
        isDone = true
        try flush()
    }

    /// Gives the copy the owner and permissions of the existing file.
    private func keepOwner(of copy: String) throws(StoreOpeningError) {
        do throws(FileError) {
            let folder = try Folder(file.folder)
            guard let owner = try folder.owner(of: FileSystem.name(of: path)),
                let file = try folder.open(FileSystem.name(of: copy))
            else { throw FileError(copy, String(cString: strerror(ENOENT)), code: ENOENT) }
            try owner.keep(file.raw, copy)
            guard fchmod(file.raw, owner.mode) == 0, fsync(file.raw) == 0 else {
                throw .last(copy)
            }
        } catch { throw StoreOpeningError(error) }
    }

    /// Checkpoints the log into the file. This is impossible if the file is damaged or not a
    /// database; its log is moved along in that case.
    private func emptyLog() throws(StoreOpeningError) {
        do throws(StoreError) {
            let connection = try Connection(path: path, access: .write)
            try connection.setBusyTimeout(milliseconds: Connection.busyMilliseconds)
            // Reading rolls back an interrupted transaction in the journal.
            _ = try DatabaseSchema.version(on: connection)
            guard try connection.checkpoint(truncating: true) else {
                throw .unavailable("another program is reading it, so its log cannot be emptied")
            }
        } catch .full { throw .noRoom } catch .corrupt { return } catch {
            throw StoreOpeningError(error, at: path)
        }
    }

    private func keepOld(as name: String) throws(StoreOpeningError) {
        // Adds a hard link first, so that the path always exists.
        if link(path, name) == 0 { return try flush() }
        guard errno != EEXIST else { throw failure(name) }
        // The file system does not support hard links.
        guard rename(path, name) == 0 else { throw failure(name) }
    }

    private func move(_ path: String, to other: String) throws(StoreOpeningError) {
        guard rename(path, other) == 0 || errno == ENOENT else { throw failure(other) }
    }

    /// Makes renames durable (`fsync(2)` of the folder).
    private func flush() throws(StoreOpeningError) {
        do throws(SystemError) {
            try FileSystem.flushFolder(of: path)
        } catch { throw .failed(path: file.folder, reason: error.reason) }
    }

    private func failure(_ path: String) -> StoreOpeningError {
        StoreOpeningError(.last(path))
    }
}
