import CBroadsheetLinux
import Glibc

/// A new file with a unique name that only its owner can read. Its creator closes and removes it.
///
/// It is locked (`flock(2)`) while its descriptor is open. Child processes do not inherit the
/// descriptor, so a file without that lock was left behind, and `removeAbandoned` removes it.
public struct TemporaryFile: Sendable {
    public let descriptor: Int32
    public let path: String

    /// The suffix of files that a later process may remove.
    public static let ending = ".broadsheet-partial"
    private static let randomCharacters = 6

    /// Creates `PREFIX.RANDOM` with a suffix (`mkostemps(3)`).
    public init(_ prefix: String, ending: String = Self.ending) throws(SystemError) {
        while true {
            var template = Array("\(prefix).XXXXXX\(ending)".utf8CString)
            let descriptor = Descriptor(
                try retrying("mkostemps") {
                    broadsheet_make_temporary(&template, Int32(ending.utf8.count))
                })
            // On a file system without such locks, no file ever counts as abandoned.
            flock(descriptor.raw, LOCK_EX)
            var status = stat()
            // Another process may have removed it before it was locked.
            guard fstat(descriptor.raw, &status) == 0, status.st_nlink > 0 else { continue }
            path = String(
                decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            self.descriptor = descriptor.release()
            return
        }
    }

    /// Moves the complete file to a path, durably (`fsync(2)`, `rename(2)`): an existing file there
    /// stays until then.
    package func replace(_ path: String) throws(SystemError) {
        _ = try retrying("fsync") { fsync(descriptor) }
        _ = try retrying("rename") { rename(self.path, path) }
        try FileSystem.flushFolder(of: path)
    }

    /// Removes files that `init` created with the same prefix in processes that ended before they
    /// could remove them, including the journals of databases.
    ///
    /// Only regular files of this user with mode 0600 and a single link that no process has open.
    public static func removeAbandoned(_ prefix: String) {
        let folder = FileSystem.folder(of: prefix)
        let start = FileSystem.name(of: prefix) + "."
        for name in names(in: folder) {
            guard name.hasPrefix(start), name.hasSuffix(ending),
                name.utf8.count == start.utf8.count + randomCharacters + ending.utf8.count
            else { continue }
            removeIfAbandoned("\(folder)/\(name)")
        }
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                        String(cString: $0)
                    }
                })
        }
        return names
    }

    private static func removeIfAbandoned(_ path: String) {
        let raw = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard raw >= 0 else { return }
        let file = Descriptor(raw)
        var status = stat()
        guard fstat(file.raw, &status) == 0, status.st_mode == S_IFREG | 0o600,
            status.st_uid == geteuid(), status.st_nlink == 1,
            flock(file.raw, LOCK_EX | LOCK_NB) == 0
        else { return }
        for ending in ["-wal", "-shm", "-journal", ""] { unlink(path + ending) }
    }
}
