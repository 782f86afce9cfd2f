import BroadsheetPlatform
import CBroadsheetLinux
import Glibc

/// A private PostgreSQL server for one run of the tests, on a Unix socket in a temporary folder. It
/// is stopped and removed when this process ends.
public final class PostgresServer: Sendable {
    /// The server of all tests, started by the first one that needs it.
    public static var shared: PostgresServer { get throws { try started.get() } }

    private static let started = Result { () throws(TestFailure) in try PostgresServer() }

    private static let binaries = "/usr/lib/postgresql/15/bin"

    /// True if a server can be started here.
    public static let isInstalled = access("\(binaries)/postgres", X_OK) == 0

    /// The folder of its socket.
    public let folder: String
    private let program: RunningProgram
    /// The server runs until this end is closed.
    private let end: Int32
    private let names = Lock(0)

    private init() throws(TestFailure) {
        var ends: [Int32] = [0, 0]
        guard broadsheet_pipe(&ends) == 0 else { throw .system("pipe") }
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        program = try RunningProgram("/\(root)/Tests/Tools/postgres-cluster", passing: [ends[0]])
        close(ends[0])
        end = ends[1]
        guard let line = program.output.next(), line.hasPrefix("ready ") else {
            throw TestFailure("PostgreSQL did not start: \(program.errors.rest())")
        }
        folder = String(line.dropFirst(6))
    }

    /// A name that was not returned before.
    public func newName() -> String {
        names.withLock { number in
            number += 1
            return "t\(number)"
        }
    }

    /// The URL of a database of this server.
    public func url(of database: String = "postgres", _ rest: String = "") -> String {
        "postgresql:///\(database)?host=\(folder)&user=broadsheet\(rest)"
    }

    /// The URL of a new, empty database.
    public func newDatabase() throws(TestFailure) -> String {
        let name = newName()
        let created = try RunningProgram(
            "\(Self.binaries)/createdb", ["-h", folder, "-U", "broadsheet", name])
        guard created.wait() == 0 else { throw TestFailure("createdb: \(created.errors.rest())") }
        return url(of: name)
    }

    /// Runs SQL in the database `postgres`.
    public func run(_ sql: String) throws(TestFailure) {
        let ended = try RunningProgram(
            "\(Self.binaries)/psql",
            ["-h", folder, "-U", "broadsheet", "-X", "-q", "-c", sql, "postgres"])
        guard ended.wait() == 0 else { throw TestFailure("psql: \(ended.errors.rest())") }
    }
}
