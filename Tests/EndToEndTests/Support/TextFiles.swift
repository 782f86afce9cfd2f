import BroadsheetTestSupport
import Glibc

/// Writes a new file.
func write(_ text: String, to path: String) throws { try write(Array(text.utf8), to: path) }

func write(_ bytes: [UInt8], to path: String) throws {
    guard let file = fopen(path, "w") else { throw TestFailure("cannot write \(path)") }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
        throw TestFailure("cannot write \(path)")
    }
}

/// The text of a file.
func read(_ path: String) throws -> String { String(decoding: try bytes(of: path), as: UTF8.self) }

func bytes(of path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else { throw TestFailure("cannot read \(path)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
        bytes += chunk.prefix(count)
    }
    return bytes
}
