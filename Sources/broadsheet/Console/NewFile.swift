import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file that appears whole or not at all: written beside its place, flushed, and moved there
/// (`rename(2)`). Only its owner can read it. What is not kept is removed.
///
/// A device or a pipe in its place is written to as it is.
final class NewFile {
    private let path: String
    /// Where the bytes gather; `nil` for a device.
    private let partial: String?
    private var isKept = false
    let descriptor: Int32

    /// Where its bytes are now.
    var place: String { partial ?? path }

    init(_ given: String) throws(CommandFailure) {
        path = Files.resolved(given)
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            partial = nil
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw Files.failure("cannot make \(given)", .cannotCreate)
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

    /// Puts the file in its place, durably.
    func keep() throws(CommandFailure) {
        guard let partial else { return }
        guard fsync(descriptor) == 0, rename(partial, path) == 0 else {
            throw Files.failure("cannot write \(path)", .ioError)
        }
        isKept = true
        try Files.flushFolder(of: path)
    }
}
