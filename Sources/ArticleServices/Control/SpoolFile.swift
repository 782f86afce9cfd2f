import Glibc
import HTTP
import Platform

/// An unlinked file that buffers a long response until the client has read it, so that producing
/// the response never waits for the client.
final class SpoolFile: Sendable {
    let descriptor: Int32
    private let pool = BlockingPool(label: "broadsheet.control.spool", width: 1, depth: 1)
    private let position = Lock(0)

    private static let pieceBytes = 256 << 10

    /// Creates the file next to `path`, readable only by its owner.
    ///
    /// - Parameter use: opens the file by its name before it is unlinked.
    init(
        beside path: String, _ use: (_ name: String) throws -> Void = { _ in }
    ) throws {
        let file = try TemporaryFile(path)
        descriptor = file.descriptor
        defer { unlink(file.path) }
        try use(file.path)
    }

    deinit { close(descriptor) }

    /// A response that streams the whole file with this media type.
    func response(_ mediaType: String) throws(SystemError) -> HTTPResponse {
        let length = Int(try retrying("lseek") { lseek(descriptor, 0, SEEK_END) })
        return HTTPResponse(
            .ok, fields: [.contentType: mediaType, .cacheControl: "no-store"],
            body: .stream(HTTPBodyStream(length: length) { try await self.next() }))
    }

    private func next() async throws -> [UInt8]? {
        let piece = try await pool.run {
            Result { () throws(SystemError) in try self.read() }
        }.get()
        return piece.isEmpty ? nil : piece
    }

    /// The bytes after those that were already read (`pread(2)`).
    private func read() throws(SystemError) -> [UInt8] {
        let offset = position.withLock { $0 }
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        let count = try retrying("pread") {
            piece.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
            }
        }
        position.withLock { $0 += count }
        piece.removeLast(piece.count - count)
        return piece
    }
}
