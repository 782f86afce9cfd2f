import BroadsheetTestSupport
import Glibc

/// Reads and writes whole files directly.
enum FileBytes {
    static func read(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { throw TestFailure("open \(path)") }
        defer { close(descriptor) }
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = Glibc.read(descriptor, &piece, piece.count), count > 0 {
            all += piece.prefix(count)
        }
        return all
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw TestFailure("open \(path)") }
        defer { close(descriptor) }
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw TestFailure("write \(path)")
        }
    }
}
