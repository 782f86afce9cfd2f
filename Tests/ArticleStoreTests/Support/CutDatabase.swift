import ArticleStore
import Glibc
import TestSupport
import Testing

@testable import ArticleDatabase

/// A database that is set back in time by other means than the program's own.
enum CutDatabase: CustomStringConvertible {
    case file(path: String, folder: TemporaryFolder)
    case schema(String)

    static func file() throws -> CutDatabase {
        let folder = try TemporaryFolder()
        return .file(path: folder.file("a.db"), folder: folder)
    }

    static func schema() throws -> CutDatabase {
        .schema(try PostgresServer.shared.newSchemaName())
    }

    var description: String {
        switch self {
        case .file: "file"
        case .schema: "schema"
        }
    }

    func open() throws -> any SQLStore {
        switch self {
        case .file(let path, _): try SQLiteStore.open(path: path, mode: .create)
        case .schema(let name):
            try PostgresStore.open(PostgresServer.shared.address(ofSchema: name))
        }
    }

    /// Keeps the state to which `setBack` returns. The database must not be open.
    func save() throws {
        switch self {
        case .file(let path, _): try Self.copy(path, to: path + ".saved")
        case .schema(let name):
            try run(
                """
                EXECUTE 'DROP SCHEMA IF EXISTS \(name)_saved CASCADE; CREATE SCHEMA \(name)_saved';
                FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = '\(name)' LOOP
                    EXECUTE format('CREATE TABLE \(name)_saved.%I AS TABLE \(name).%I', t, t);
                END LOOP;
                """)
        }
    }

    /// Returns to the saved state. A schema may be open.
    ///
    /// - Parameter isNoticed: whether the next start can notice that by something else than the
    ///   content of the database.
    func setBack(isNoticed: Bool) throws {
        switch self {
        case .file(let path, _):
            try Self.copy(path + ".saved", to: path)
            if !isNoticed { try #require(truncate(path + ".lock", 0) == 0) }
        case .schema(let name):
            try run(
                """
                SET LOCAL session_replication_role = replica;
                FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = '\(name)' LOOP
                    EXECUTE format('DELETE FROM \(name).%I', t);
                    EXECUTE format('INSERT INTO \(name).%I OVERRIDING SYSTEM VALUE '
                        'SELECT * FROM \(name)_saved.%I', t, t);
                END LOOP;
                """)
            if isNoticed { try run("UPDATE \(name).commit_clock SET timeline = timeline - 1;") }
        }
    }

    private static func copy(_ path: String, to other: String) throws {
        let program = try RunningProgram("/bin/cp", [path, other])
        try #require(program.wait() == 0)
    }

    private func run(_ statements: String) throws {
        let address = try PostgresAddress(PostgresServer.shared.url())
        let session = try PostgresSession(address, settings: [])
        _ = try session.run("DO $$ DECLARE t text; BEGIN \(statements) END $$")
    }
}
