package import ArticleDatabase
import BroadsheetPlatform
package import BroadsheetTestSupport
import Glibc

/// A database that is set back in time by other means than the program's own.
package enum CutDatabase: CustomStringConvertible, Sendable {
    case file(path: String, folder: TemporaryFolder)
    case schema(String)

    package static func file() throws -> CutDatabase {
        let folder = try TemporaryFolder()
        return .file(path: folder.file("a.db"), folder: folder)
    }

    package static func schema() throws -> CutDatabase {
        let name = try PostgresServer.shared.newName()
        try PostgresServer.shared.run("CREATE SCHEMA \(name)")
        return .schema(name)
    }

    package var description: String {
        switch self {
        case .file: "file"
        case .schema: "schema"
        }
    }

    package func open() throws -> any SQLStore {
        switch self {
        case .file(let path, _): try SQLiteStore.open(path: path, mode: .create, system: .real)
        case .schema(let name):
            try PostgresStore.open(
                PostgresAddress(
                    PostgresServer.shared.url(of: "postgres", "&options=-csearch_path%3D\(name)")),
                path: "/nowhere/store", mode: .create, configuration: leading,
                system: .real)
        }
    }

    private var leading: PostgresConfiguration {
        var configuration = PostgresConfiguration()
        configuration.mayLead = true
        return configuration
    }

    /// Keeps the state to which `setBack` returns. The database must not be open.
    package func save() throws {
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
    package func setBack(isNoticed: Bool) throws {
        switch self {
        case .file(let path, _):
            try Self.copy(path + ".saved", to: path)
            if !isNoticed, truncate(path + ".lock", 0) != 0 {
                throw TestFailure("truncate \(path)")
            }
        case .schema(let name):
            try run(
                """
                SET LOCAL session_replication_role = replica;
                FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = '\(name)' LOOP
                    EXECUTE format('DELETE FROM \(name).%I', t);
                    EXECUTE format('INSERT INTO \(name).%I OVERRIDING SYSTEM VALUE '
                        'SELECT * FROM \(name)_saved.%I', t, t);
                END LOOP;
                \(isNoticed ? "UPDATE \(name).commit_clock SET timeline = timeline - 1;" : "")
                """)
        }
    }

    private static func copy(_ path: String, to other: String) throws {
        guard try RunningProgram("/bin/cp", [path, other]).wait() == 0 else {
            throw TestFailure("cp \(path)")
        }
    }

    private func run(_ statements: String) throws {
        try PostgresServer.shared.run("DO $$ DECLARE t text; BEGIN \(statements) END $$")
    }
}
