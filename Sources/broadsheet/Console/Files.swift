import Platform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reads and writes small files as a whole.
enum Files {
    static func exist(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The path without symbolic links (`realpath(3)`); the path itself if there is no such file.
    static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// Where a file is or would be: its folder without symbolic links, and its name.
    static func place(_ path: String) -> String {
        if exist(path) { return resolved(path) }
        let folder = resolved(folder(of: path))
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map {
            path[path.index(after: $0)...]
        }
        return (folder == "/" ? "/" : folder + "/") + (name ?? path[...])
    }

    /// The path of the file's folder, derived from the file's path alone.
    private static func folder(of path: String) -> String {
        let cut = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return cut.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
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
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count < 0 {
                guard errno == EINTR else { throw failure("cannot read \(name)", .noInput) }
                continue
            }
            guard bytes.count + count <= limitBytes else {
                throw CommandFailure(.dataError, "\(name) is longer than \(limitBytes) bytes")
            }
            bytes += chunk[..<count]
        }
    }

    /// Atomically writes a file that only its owner can read (mode 0600): an existing file stays
    /// until the new one is complete.
    static func writePrivate(_ text: String, to path: String) throws(CommandFailure) {
        let file = try makeTemporary(path, for: path)
        do throws(CommandFailure) {
            defer { close(file.descriptor) }
            try Console.write(Array(text.utf8), to: file.descriptor)
            guard fsync(file.descriptor) == 0, rename(file.path, path) == 0 else {
                throw failure("cannot write \(path)", .ioError)
            }
        } catch {
            unlink(file.path)
            throw error
        }
        try flushFolder(of: path)
    }

    /// Creates a temporary file; a failure names its purpose.
    static func makeTemporary(
        _ prefix: String, ending: String = TemporaryFile.ending, for purpose: String
    ) throws(CommandFailure) -> TemporaryFile {
        do throws(SystemError) {
            return try TemporaryFile(prefix, ending: ending)
        } catch { throw failure("cannot create \(purpose)", .cannotCreate, code: error.code) }
    }

    /// Makes changes to a file's folder durable (`fsync(2)`).
    static func flushFolder(of path: String) throws(CommandFailure) {
        let folder = folder(of: path)
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot open \(folder)", .ioError) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("cannot write \(folder)", .ioError) }
    }

    /// The failure followed by the description of the error: `errno`, unless another code is given.
    static func failure(
        _ text: String, _ status: ExitStatus, code: Int32 = errno
    ) -> CommandFailure {
        let status = code == EACCES || code == EPERM ? ExitStatus.noPermission : status
        return CommandFailure(status, "\(text): \(String(cString: strerror(code)))")
    }
}
