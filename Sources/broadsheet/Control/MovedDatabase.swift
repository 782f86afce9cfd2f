import ArticleAPI
import ArticleDatabase
import Glibc
import Platform

/// The note beside a database, `<database>.moved`, that its server has moved to another one.
/// Without it, an old configuration would start a server that writes to what nobody reads any more.
enum MovedDatabase {
    private static func path(of database: String) -> String {
        Database.path(of: database) + ".moved"
    }

    /// - Throws: `.dataError` if the database was moved.
    static func reject(_ database: String) throws(CommandFailure) {
        let path = path(of: database)
        guard Files.exist(path) else { return }
        let note = String(decoding: try Files.read(path, limitBytes: 10_000), as: UTF8.self)
        let line = note.prefix { $0 != "\n" }
        throw CommandFailure(
            .dataError, "\(database): \(line); to use it again all the same, remove \(path)")
    }

    /// Notes that a server moved from one database to the other, where it is now.
    static func note(_ database: String, movedTo target: String) throws(CommandFailure) {
        try Files.writePrivate(
            "this database was moved to \(target) at \(Timestamp.now)\n", to: path(of: database))
    }

    /// A copy has been made in this place, in which the database counts again.
    static func forget(_ database: String) { unlink(path(of: database)) }
}
