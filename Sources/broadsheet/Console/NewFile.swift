import Platform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file that is created atomically: written to a temporary file, flushed, and renamed to its path
/// (`rename(2)`). Only its owner can read it. Without `keep` it is removed.
///
/// A device or a pipe at the path is written to directly.
final class NewFile {
    private let path: String
    /// The temporary file; `nil` for a device.
    private let partial: String?
    private var isKept = false
    let descriptor: Int32

    /// The path that is being written to.
    var place: String { partial ?? path }

    init(_ given: String) throws(CommandFailure) {
        path = Files.resolved(given)
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            partial = nil
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw Files.failure("cannot create \(given)", .cannotCreate)
            }
        } else {
            TemporaryFile.removeAbandoned(path)
            let file = try Files.makeTemporary(path, for: given)
            partial = file.path
            descriptor = file.descriptor
        }
    }

    deinit {
        close(descriptor)
        if let partial, !isKept { unlink(partial) }
    }

    /// Moves the file to its path, durably.
    func keep() throws(CommandFailure) {
        guard let partial else { return }
        guard fsync(descriptor) == 0, rename(partial, path) == 0 else {
            throw Files.failure("cannot write \(path)", .ioError)
        }
        isKept = true
        try Files.flushFolder(of: path)
    }
}
