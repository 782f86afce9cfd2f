import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc

/// The content of a file that many tests begin with, kept in memory.
package struct FileTemplate: Sendable {
    private let bytes: [UInt8]

    /// Reads a file, which may be removed afterwards.
    package init(of path: String) throws {
        let file = Descriptor(try retrying("open") { open(path, O_RDONLY | O_CLOEXEC) })
        guard let bytes = try FileSystem.bytes(of: file.raw, limitBytes: 64 << 20) else {
            throw TestFailure("\(path) is too large for a template")
        }
        self.bytes = bytes
    }

    /// Creates a file with this content, readable only by its owner, unless there is one.
    package func copy(to path: String) throws {
        let made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if made < 0, errno == EEXIST { return }
        let file = Descriptor(try retrying("open") { made })
        try FileSystem.write(bytes, to: file.raw)
    }
}
