import BroadsheetCommandLine
import BroadsheetPlatform
import Glibc

/// Reads and writes small files as a whole.
enum Files {
    static func exist(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The path without symbolic links (`realpath(3)`); the path itself if there is no such file.
    static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// Returns the path at which a file is or would be: its folder without symbolic links, and its
    /// name.
    static func place(_ path: String) -> String {
        if exist(path) { return resolved(path) }
        let folder = resolved(FileSystem.folder(of: path))
        return (folder == "/" ? "/" : folder + "/") + FileSystem.name(of: path)
    }

    /// Returns the path to which a file is written: at the end of symbolic links that this process
    /// follows, and in the place of others. Root does not follow those of other users to files that
    /// are not theirs.
    static func destination(_ path: String) throws(CommandFailure) -> String {
        if let resolved = try? ResolvedPath(path), let owner = try? owner(of: resolved.path),
            (try? resolved.checkLinks(to: owner)) != nil
        {
            return resolved.path
        }
        do throws(FileError) {
            let folder = try ResolvedPath(FileSystem.folder(of: path))
            try folder.checkLinks(to: owner(of: folder.path))
            return (folder.path == "/" ? "/" : folder.path + "/") + FileSystem.name(of: path)
        } catch { throw failure("cannot create \(path): its folder", error) }
    }

    private static func owner(of path: String) throws(FileError) -> FileOwner {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .last(path) }
        return FileOwner(status)
    }

    private static func failure(_ text: String, _ error: FileError) -> CommandFailure {
        let isDenied = error.code == EACCES || error.code == EPERM
        return CommandFailure(isDenied ? .noPermission : .cannotCreate, "\(text): \(error.reason)")
    }

    /// The bytes of a file of at most 16 MiB (`open(2)`, `read(2)`).
    static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
        try read(path, limitBytes: 16 << 20)
    }

    static func read(_ path: String, limitBytes: Int) throws(CommandFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot read \(path)", .noInput) }
        defer { close(descriptor) }
        return try read(descriptor: descriptor, path, limitBytes: limitBytes)
    }

    /// All bytes of an open descriptor.
    static func read(
        descriptor: Int32, _ name: String, limitBytes: Int
    ) throws(CommandFailure) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try FileSystem.bytes(of: descriptor, limitBytes: limitBytes)
        } catch { throw failure("cannot read \(name)", .noInput, code: error.code) }
        guard let bytes else {
            throw CommandFailure(.dataError, "\(name) is longer than \(limitBytes) bytes")
        }
        return bytes
    }

    /// Atomically writes a file that only its owner can read (mode 0600): an existing file stays
    /// until the new one is complete.
    static func writePrivate(_ text: String, to path: String) throws(CommandFailure) {
        let file = try makeTemporary(path, for: path)
        defer { close(file.descriptor) }
        do throws(SystemError) {
            try FileSystem.write(Array(text.utf8), to: file.descriptor)
            try file.replace(path)
        } catch {
            unlink(file.path)
            throw failure("cannot write \(path)", .ioError, code: error.code)
        }
    }

    /// Creates a temporary file; a failure names its purpose.
    static func makeTemporary(
        _ prefix: String, ending: String = TemporaryFile.ending, for purpose: String
    ) throws(CommandFailure) -> TemporaryFile {
        do throws(SystemError) {
            return try TemporaryFile(prefix, ending: ending)
        } catch { throw failure("cannot create \(purpose)", .cannotCreate, code: error.code) }
    }

    /// The failure followed by the description of the error: `errno`, unless another code is given.
    static func failure(
        _ text: String, _ status: ExitStatus, code: Int32 = errno
    ) -> CommandFailure {
        let status = code == EACCES || code == EPERM ? ExitStatus.noPermission : status
        return CommandFailure(status, "\(text): \(String(cString: strerror(code)))")
    }
}

/// A file that is created atomically: written to a temporary file, flushed, and renamed to its path
/// (`rename(2)`). Only its owner can read it. Without `keep` it is removed.
///
/// A device or a pipe at the path is written to directly. A link that is not followed is replaced.
final class NewFile {
    private let path: String
    /// The temporary file; `nil` for a device.
    private let partial: TemporaryFile?
    private var isKept = false
    let descriptor: Int32

    /// The path that is being written to.
    var place: String { partial?.path ?? path }

    init(_ given: String) throws(CommandFailure) {
        path = try Files.destination(given)
        var status = stat()
        let isThere = lstat(path, &status) == 0
        if isThere, ![S_IFREG, S_IFLNK].contains(status.st_mode & S_IFMT) {
            partial = nil
            descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else {
                throw Files.failure("cannot create \(given)", .cannotCreate)
            }
        } else {
            TemporaryFile.removeAbandoned(path)
            let file = try Files.makeTemporary(path, for: given)
            partial = file
            descriptor = file.descriptor
        }
    }

    deinit {
        close(descriptor)
        if let partial, !isKept { unlink(partial.path) }
    }

    /// Moves the file to its path, durably.
    func keep() throws(CommandFailure) {
        guard let partial else { return }
        do throws(SystemError) {
            try partial.replace(path)
        } catch { throw Files.failure("cannot write \(path)", .ioError, code: error.code) }
        isKept = true
    }
}

/// A throwaway database in its own folder, for dry runs.
struct ScratchDatabase {
    private let folder: String
    var path: String { "\(folder)/trial.db" }

    /// Creates the folder in `TMPDIR` or /tmp (`mkdtemp(3)`).
    init() throws(CommandFailure) {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(Files.resolved(base))/broadsheet.XXXXXX".utf8CString)
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
