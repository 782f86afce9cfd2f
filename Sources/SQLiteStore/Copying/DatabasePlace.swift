public import ArticleStore
import Glibc

/// The place of a database that another one is put into; nobody else gets it meanwhile.
public final class DatabasePlace {
    let file: DatabaseFile
    /// Whether something stands there.
    public let isTaken: Bool
    private var isDone = false

    /// The file, with symbolic links resolved.
    public var path: String { file.path }

    /// - Throws: `.owned` while somebody serves or uses what stands there.
    public init(path: String) throws(StoreOpeningError) {
        file = try DatabaseFile(path: path, mayCreate: true)
        isTaken = try file.inspect() != .empty
    }

    /// What only held the place goes with it.
    deinit {
        if !isTaken, !isDone { unlink(path) }
    }

    /// Puts a settled copy, which lies in the same folder, into the place. What stood there is then
    /// called `name`. Whenever the machine stops, one of both is in the place, whole: before
    /// anything is moved, all that the old one has stands in its file.
    ///
    /// - Throws: `.noRoom`, or what else keeps the old file's log from being emptied.
    public func put(_ copy: String, keepingOldAs name: String) throws(StoreOpeningError) {
        try put(copy, keepingOldAs: name) { () throws(StoreOpeningError) in }
    }

    /// - Parameter step: is called between any two steps.
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
        // What belongs to the old file must never be taken for the new one's.
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

    /// The copy belongs to whoever owns what is in the place, and can be read by the same.
    private func keepOwner(of copy: String) throws(StoreOpeningError) {
        let owner = try FileOwner(of: path)
        let descriptor = open(copy, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(copy) }
        defer { close(descriptor) }
        try owner.keep(descriptor, copy)
        guard fchmod(descriptor, owner.mode) == 0, fsync(descriptor) == 0 else {
            throw failure(copy)
        }
    }

    /// Moves into the file what stands beside it. Of a file that is damaged, or no database,
    /// nothing can be taken in: what is beside it is moved along.
    private func emptyLog() throws(StoreOpeningError) {
        do throws(StoreError) {
            let connection = try Connection(path: path, access: .write)
            try connection.setBusyTimeout(milliseconds: Connection.busyMilliseconds)
            // Reading rolls back what a journal says was cut short.
            _ = try DatabaseSchema.version(on: connection)
            guard try connection.checkpoint(truncating: true) else {
                throw .unavailable("another program reads it, so that its log cannot be emptied")
            }
        } catch .full { throw .noRoom } catch .corrupt { return } catch {
            throw StoreOpeningError(error, at: path)
        }
    }

    private func keepOld(as name: String) throws(StoreOpeningError) {
        // A second name first: there is no moment without a file in the place.
        if link(path, name) == 0 { return try flush() }
        guard errno != EEXIST else { throw failure(name) }
        // A file system without such names.
        guard rename(path, name) == 0 else { throw failure(name) }
    }

    private func move(_ path: String, to other: String) throws(StoreOpeningError) {
        guard rename(path, other) == 0 || errno == ENOENT else { throw failure(other) }
    }

    /// Makes names last (`fsync(2)` of the folder).
    private func flush() throws(StoreOpeningError) {
        let folder = open(file.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure(file.folder) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw failure(file.folder) }
    }

    private func failure(_ path: String) -> StoreOpeningError {
        .failed(path: path, reason: String(cString: strerror(errno)))
    }
}
