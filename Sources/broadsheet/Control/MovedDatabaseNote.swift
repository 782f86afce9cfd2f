import ArticleAPI
import ArticleDatabase
import BroadsheetCommandLine
import BroadsheetPlatform
import Glibc

/// The note beside a database, `<database>.moved`, which says that its server uses another one now.
/// Without it, a server with an old configuration would write to the wrong database.
enum MovedDatabaseNote {
    private static func path(of database: String) -> String {
        Database.path(of: database) + ".moved"
    }

    /// - Throws: `.dataError` if the database was moved.
    static func reject(_ database: String) throws(CommandFailure) {
        let path = path(of: database)
        guard let note = try note(at: path) else { return }
        let line = note.prefix { $0 != "\n" }
        throw CommandFailure(
            .dataError, "\(database): \(line); to use it anyway, remove \(path)")
    }

    /// `nil` if there is none, or no folder.
    private static func note(at path: String) throws(CommandFailure) -> String? {
        guard let folder = try? Folder(FileSystem.folder(of: path)) else { return nil }
        let bytes: [UInt8]?
        do throws(FileError) {
            guard let file = try folder.open(FileSystem.name(of: path)) else { return nil }
            bytes = try? FileSystem.bytes(of: file.raw, limitBytes: 10_000)
        } catch { throw CommandFailure(.ioError, error.description) }
        guard let bytes else { throw Files.failure("cannot read \(path)", .noInput) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Notes that the server of a database has moved to another one.
    static func note(
        _ database: String, movedTo target: String, at time: Timestamp
    ) throws(CommandFailure) {
        try Files.writePrivate(
            "this database was moved to \(target) at \(time)\n", to: path(of: database))
    }

    /// Removes the note, as a new copy is in this place.
    static func forget(_ database: String) { unlink(path(of: database)) }
}
