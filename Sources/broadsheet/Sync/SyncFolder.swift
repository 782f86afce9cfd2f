import ArticleAPI
import ArticleServices
import BroadsheetCommandLine
import BroadsheetPlatform
import Glibc

/// A folder that `sync` keeps, locked against other runs while this object exists.
///
/// Files are replaced atomically and durably. Before files are written, a journal says so: whatever
/// the moment of a crash, the next run recognizes every file that this one wrote.
final class SyncFolder {
    /// A step that changes the folder.
    enum Effect: Sendable {
        case journal, write, remove, saveState, endJournal
    }

    private static let stateLimitBytes = 1 << 30
    private static let journalLimitBytes = 1 << 30
    /// Larger files were not written by `sync`.
    private static let fileLimitBytes = 64 << 20

    let path: String
    private let lock: Descriptor
    /// The mode of new files: as far as the process's mask allows.
    private let mode: mode_t
    private let beforeEffect: (Effect) throws(CommandFailure) -> Void
    private(set) var journalLines = 0

    var statePath: String { "\(path)/.broadsheet-sync.json" }
    private var journalPath: String { "\(path)/.broadsheet-sync.journal" }
    /// Of temporary files.
    private var prefix: String { "\(path)/.broadsheet-sync" }

    /// Creates the folder if it does not exist.
    ///
    /// - Parameter beforeEffect: called before each step that changes the folder.
    init(
        _ path: String,
        beforeEffect: @escaping (Effect) throws(CommandFailure) -> Void = { _ in }
    ) throws(CommandFailure) {
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
            throw Files.failure("cannot create \(path)", .cannotCreate)
        }
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Files.failure("cannot open \(path)", .noInput) }
        lock = Descriptor(folder)
        guard flock(folder, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else {
                throw Files.failure("cannot lock \(path)", .ioError)
            }
            throw CommandFailure(.unavailable, "another sync of \(path) is running")
        }
        self.path = path
        self.beforeEffect = beforeEffect
        let mask = umask(0o077)
        umask(mask)
        mode = 0o666 & ~mask
        TemporaryFile.removeAbandoned(prefix)
    }

    /// Unlocks explicitly: a child process that is about to start another program shares the lock.
    deinit { flock(lock.raw, LOCK_UN) }

    // MARK: State

    /// Returns the state with the additions of the journal; `nil` in a new folder.
    func state() throws(CommandFailure) -> SyncState? {
        guard let bytes = try optionalContent(statePath, limitBytes: Self.stateLimitBytes) else {
            return nil
        }
        let stored: StoredSyncState
        do {
            stored = try StoredSyncState(mapping: bytes)
        } catch {
            throw CommandFailure(
                .dataError, "\(statePath) is damaged; sync into a new folder instead: \(error)")
        }
        return try stored.state(statePath)
    }

    /// Returns the files that were about to be written when a run was interrupted.
    func journal() throws(CommandFailure) -> [SyncJournalLine] {
        let bytes = try optionalContent(journalPath, limitBytes: Self.journalLimitBytes) ?? []
        var lines: [SyncJournalLine] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            // A line that a crash left incomplete belongs to a file that was not written.
            guard let entry = try? SyncJournalLine(mapping: Array(line)),
                SyncFileName.isPlain(entry.name)
            else { continue }
            lines.append(entry)
        }
        journalLines = lines.count
        return lines
    }

    /// Replaces the state file, and removes the journal, which it makes unnecessary.
    func save(_ state: SyncState) throws(CommandFailure) {
        try beforeEffect(.saveState)
        _ = try replace(statePath, with: StoredSyncState(state).json(), mode: 0o600)
        try beforeEffect(.endJournal)
        guard unlink(journalPath) == 0 || errno == ENOENT else {
            throw Files.failure("cannot remove \(journalPath)", .ioError)
        }
        journalLines = 0
    }

    /// Adds to the journal, durably, before the files are written.
    func append(_ lines: [SyncJournalLine]) throws(CommandFailure) {
        guard !lines.isEmpty else { return }
        try beforeEffect(.journal)
        let raw = open(
            journalPath, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard raw >= 0 else { throw Files.failure("cannot write \(journalPath)", .ioError) }
        let file = Descriptor(raw)
        // The line feed also comes first: the last line of an interrupted run may be incomplete.
        let bytes = lines.flatMap { [UInt8(ascii: "\n")] + $0.json() } + [UInt8(ascii: "\n")]
        do throws(SystemError) {
            try FileSystem.write(bytes, to: file.raw)
            _ = try retrying("fsync") { fsync(file.raw) }
            try FileSystem.flushFolder(of: journalPath)
        } catch {
            throw Files.failure("cannot write \(journalPath)", .ioError, code: error.code)
        }
        journalLines += lines.count
    }

    // MARK: Files

    /// The content behind a name in the folder.
    enum Content {
        case missing
        case file([UInt8])
        /// Not a regular file, or too large to be one of ours.
        case other
    }

    /// Returns the file's size and time; `nil` if there is none. A link or a folder also has a
    /// stamp.
    func stamp(_ name: String) throws(CommandFailure) -> FileStamp? {
        var status = stat()
        guard lstat("\(path)/\(name)", &status) == 0 else {
            if errno == ENOENT { return nil }
            throw Files.failure("cannot examine \(path)/\(name)", .noInput)
        }
        return FileStamp(status)
    }

    func content(_ name: String) throws(CommandFailure) -> Content {
        let path = "\(path)/\(name)"
        let raw = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard raw >= 0 else {
            if errno == ENOENT { return .missing }
            if errno == ELOOP || errno == ENXIO { return .other }
            throw Files.failure("cannot read \(path)", .noInput)
        }
        let file = Descriptor(raw)
        var status = stat()
        guard fstat(file.raw, &status) == 0 else {
            throw Files.failure("cannot read \(path)", .noInput)
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.fileLimitBytes else {
            return .other
        }
        return .file(
            try Files.read(descriptor: file.raw, path, limitBytes: Self.fileLimitBytes))
    }

    /// Writes a file that others may read if the process's mask allows it.
    func write(_ bytes: [UInt8], _ name: String) throws(CommandFailure) -> FileStamp {
        try beforeEffect(.write)
        return try replace("\(path)/\(name)", with: bytes, mode: mode)
    }

    func remove(_ name: String) throws(CommandFailure) {
        try beforeEffect(.remove)
        guard unlink("\(path)/\(name)") == 0 || errno == ENOENT else {
            throw Files.failure("cannot remove \(path)/\(name)", .ioError)
        }
    }

    private func replace(
        _ place: String, with bytes: [UInt8], mode: mode_t
    ) throws(CommandFailure) -> FileStamp {
        let file = try Files.makeTemporary(prefix, for: "a file in \(path)")
        let owned = Descriptor(file.descriptor)
        do throws(SystemError) {
            try FileSystem.write(bytes, to: owned.raw)
            try file.replace(place)
            // Only now, since an abandoned temporary file is recognized by its mode.
            _ = try retrying("fchmod") { fchmod(owned.raw, mode) }
            var status = stat()
            _ = try retrying("fstat") { fstat(owned.raw, &status) }
            return FileStamp(status)
        } catch {
            unlink(file.path)
            throw Files.failure("cannot write \(place)", .ioError, code: error.code)
        }
    }

    /// The content of one of our own files; `nil` if there is none.
    private func optionalContent(
        _ path: String, limitBytes: Int
    ) throws(CommandFailure) -> [UInt8]? {
        let raw = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard raw >= 0 else {
            if errno == ENOENT { return nil }
            throw Files.failure("cannot read \(path)", .noInput)
        }
        let file = Descriptor(raw)
        return try Files.read(descriptor: file.raw, path, limitBytes: limitBytes)
    }
}

extension FileStamp {
    fileprivate init(_ status: stat) {
        sizeBytes = Int(status.st_size)
        modifiedNanoseconds = Int(SystemClock.nanoseconds(status.st_mtim))
    }
}
