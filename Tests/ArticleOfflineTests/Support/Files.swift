import BroadsheetTestSupport
import Glibc

/// Files as bytes.
enum Files {
    static func read(_ path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw TestFailure("\(path) cannot be read") }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Int(lseek(file, 0, SEEK_END)))
        let count = pread(file, &bytes, bytes.count, 0)
        guard count == bytes.count else { throw TestFailure("\(path) cannot be read") }
        return bytes
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw TestFailure("\(path) cannot be written") }
        defer { close(file) }
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
            throw TestFailure("\(path) cannot be written")
        }
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The permissions of a file.
    static func mode(_ path: String) throws -> mode_t {
        var status = stat()
        guard stat(path, &status) == 0 else { throw TestFailure("\(path) does not exist") }
        return status.st_mode & 0o777
    }
}
