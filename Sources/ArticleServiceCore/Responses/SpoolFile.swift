package import BroadsheetHTTP
package import BroadsheetPlatform
import Glibc

/// The folder in which long responses are buffered: in files next to the database.
package struct Spool: Sendable {
    /// The path of the database.
    private let path: String
    private let openFiles = Lock(0)

    /// Each file may be as large as the database, and lasts until a slow client has read it.
    static let limitFiles = 8
    /// Disk space left free for concurrent writes.
    private static let marginBytes = 64 << 20

    package init(beside path: String) { self.path = path }

    /// Creates a file, readable only by its owner.
    ///
    /// - Parameters:
    ///   - use: opens the file by its name before it is unlinked.
    ///   - closed: called once the file is closed.
    /// - Throws: `ServiceError.busy` if there are too many files.
    package func file(
        _ use: (_ name: String) throws -> Void = { _ in },
        closed: @escaping @Sendable () -> Void = {}
    ) throws -> SpoolFile {
        let hasRoom = openFiles.withLock { count in
            guard count < Self.limitFiles else { return false }
            count += 1
            return true
        }
        guard hasRoom else { throw ServiceError.busy }
        do {
            return try SpoolFile(beside: path, use) {
                openFiles.withLock { $0 -= 1 }
                closed()
            }
        } catch {
            openFiles.withLock { $0 -= 1 }
            throw error
        }
    }

    /// Returns true if the disk has room for a file of this size (`statvfs(3)`): buffers must not
    /// fill the disk and block writers.
    package func hasRoom(forBytes count: Int) -> Bool {
        FileSystem.freeBytes(at: path).map { $0 > count + Self.marginBytes } ?? true
    }
}

/// An unlinked file that buffers a long response until the client has read it, so that producing
/// the response never waits for the client.
package final class SpoolFile: Sendable {
    package let descriptor: Int32
    private let closed: @Sendable () -> Void
    private let pool = BlockingPool(label: "broadsheet.spool", width: 1, depth: 1)
    private let state = Lock(State())

    private struct State {
        var position = 0
        var isClosed = false
    }

    private static let pieceBytes = 256 << 10

    /// - Parameters:
    ///   - use: opens the file by its name before it is unlinked.
    ///   - closed: called once the file is closed, after its last byte was read at the latest.
    fileprivate init(
        beside path: String, _ use: (_ name: String) throws -> Void,
        closed: @escaping @Sendable () -> Void
    ) throws {
        let file = try TemporaryFile(path)
        defer { unlink(file.path) }
        do { try use(file.path) } catch {
            close(file.descriptor)
            throw error
        }
        descriptor = file.descriptor
        self.closed = closed
    }

    deinit { end() }

    /// Closes the file, unless that was done.
    private func end() {
        let isOpen = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isOpen else { return }
        close(descriptor)
        closed()
    }

    /// A response that streams the whole file.
    ///
    /// - Parameters:
    ///   - mediaType: that of the file's contents.
    ///   - name: the name under which browsers save it; `nil` to leave that to them.
    package func response(
        _ mediaType: String, savedAs name: String? = nil
    ) throws(SystemError) -> HTTPResponse {
        let length = Int(try retrying("lseek") { lseek(descriptor, 0, SEEK_END) })
        var fields: HTTPFields = [.contentType: mediaType, .cacheControl: "no-store"]
        if let name { fields.append(.contentDisposition, "attachment; filename=\"\(name)\"") }
        return HTTPResponse(
            .ok, fields: fields,
            body: .stream(HTTPBodyStream(length: length) { try await self.next(of: length) }))
    }

    private func next(of length: Int) async throws -> [UInt8]? {
        let piece = try await pool.run {
            Result { () throws(SystemError) in try self.read(of: length) }
        }.get()
        return piece.isEmpty ? nil : piece
    }

    /// The bytes after those that were already read (`pread(2)`). The last ones end the file: a
    /// client that has received them may request another one.
    private func read(of length: Int) throws(SystemError) -> [UInt8] {
        let (offset, isClosed) = state.withLock { ($0.position, $0.isClosed) }
        guard !isClosed else { return [] }
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        let count = try retrying("pread") {
            piece.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
            }
        }
        state.withLock { $0.position += count }
        if count == 0 || offset + count >= length { end() }
        piece.removeLast(piece.count - count)
        return piece
    }
}
