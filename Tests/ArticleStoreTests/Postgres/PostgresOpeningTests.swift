import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@testable import ArticleDatabase

@Suite(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct PostgresOpeningTests {
    private func newSchema() throws -> PostgresAddress {
        try PostgresServer.shared.newSchema()
    }

    @Test func `both engines have the same version of the schema`() {
        #expect(PostgresStore.schemaVersion == SQLiteStore.schemaVersion)
    }

    @Test func `a password in the address is rejected and not repeated`() {
        for text in [
            "postgresql://ada:hunter2@localhost/db", "postgresql://localhost/db?password=hunter2",
        ] {
            #expect {
                try PostgresAddress(text)
            } throws: { error in
                "\(error)".contains("password") && !"\(error)".contains("hunter2")
            }
        }
    }

    @Test func `an invalid address is rejected`() {
        #expect(throws: StoreOpeningError.self) { try PostgresAddress("postgresql://[/") }
    }

    @Test func `a server that does not respond is named as the reason`() async throws {
        let address = try PostgresAddress("postgresql:///db?host=/nowhere")
        #expect {
            try PostgresStore.open(address)
        } throws: { error in
            "\(error)".contains("/nowhere")
        }
    }

    @Test func `a store contains what was written before it was closed`() async throws {
        let address = try newSchema()
        var store = try PostgresStore.open(address)
        let article = try await store.createArticle(.make(), .sample(), by: .first)
        await store.close()
        store = try PostgresStore.open(address)
        #expect(
            try await store.edition(of: .id(article.id), visibleTo: .editors).article == article)
        await store.close()
    }

    @Test func `a closed store rejects reads and writes`() async throws {
        let store = try PostgresStore.open(newSchema())
        await store.close()
        let read = try await failure { _ = try await store.articleCount() }
        let write = try await failure {
            _ = try await store.createArticle(.make(), .sample(), by: .first)
        }
        for error in [read, write] {
            guard case .unavailable = error else { throw error }
        }
    }

    @Test func `a database is not migrated while it is in use`() async throws {
        let address = try newSchema()
        let newer = PostgresSchema(
            migrations: PostgresSchema.bundled.migrations + [
                (101, "CREATE TABLE later (number bigint)")
            ])
        func openNewer() throws -> PostgresStore {
            try PostgresStore(
                address, path: "/nowhere/store", mode: .create, schema: newer,
                configuration: PostgresConfiguration(), system: .real)
        }
        let store = try PostgresStore.open(address)
        #expect {
            try openNewer()
        } throws: { error in
            guard case .owned = error as? StoreOpeningError else { return false }
            return true
        }
        await store.close()
        try await openNewer().close()
    }

    @Test func `a database that somebody moves cannot be opened meanwhile`() async throws {
        let address = try newSchema()
        try await PostgresStore.open(address).close()
        let session = try PostgresSession(address, settings: [])
        #expect(try session.own())
        #expect {
            try PostgresStore.open(address)
        } throws: { error in
            guard case .owned = error as? StoreOpeningError else { return false }
            return true
        }
        try session.disown()
        try await PostgresStore.open(address).close()
    }

    @Test func `programs that start at once migrate the database once`() async throws {
        let address = try newSchema()
        await withTaskGroup { group in
            for _ in 0..<6 {
                group.addTask {
                    do {
                        let session = try PostgresSession(address, settings: [])
                        try PostgresSchema.bundled.migrate(session)
                        #expect(
                            try PostgresSchema.version(of: session) == PostgresStore.schemaVersion)
                    } catch { Issue.record(error) }
                }
            }
        }
        try await PostgresStore.open(address).close()
    }

    @Test func `an older database is migrated, and keeps what it contains`() async throws {
        let address = try newSchema()
        let session = try PostgresSession(address, settings: [])
        let first = PostgresSchema(migrations: [PostgresSchema.bundled.migrations[0]])
        try first.migrate(session)
        _ = try session.run("INSERT INTO secrets VALUES ('a', decode(repeat('07', 32), 'hex'))")
        let store = try PostgresStore.open(address)
        #expect(try await store.secret(named: "a") == [UInt8](repeating: 7, count: 32))
        #expect(try PostgresSchema.version(of: session) == PostgresStore.schemaVersion)
        await store.close()
    }

    @Test func `the files that an older database's articles came from have names`() async throws {
        let address = try newSchema()
        let session = try PostgresSession(address, settings: [])
        let older = PostgresSchema(migrations: [PostgresSchema.bundled.migrations[0]])
        try older.migrate(session)
        _ = try session.run("ALTER TABLE imports DROP CONSTRAINT imports_article_fkey")
        _ = try session.run(
            """
            INSERT INTO imports VALUES ('a/b/index.md', '\\x07', 1, 1), ('a/b.md', '\\x07', 2, 1),
                ('b/a/_index.ko.md', '\\x07', 3, 1), ('c.xml#post:1', '\\x07', 4, 1)
            """)
        try PostgresSchema.bundled.migrate(session)
        let names = try session.value("SELECT string_agg(name, ' ' ORDER BY article) FROM imports")
        #expect(names == "b/index.md b.md a/_index.ko.md c.xml#post:1")
    }

    @Test func `a migration that fails changes nothing`() async throws {
        let address = try newSchema()
        let session = try PostgresSession(address, settings: [])
        let broken = PostgresSchema(
            migrations: PostgresSchema.bundled.migrations + [
                (101, "CREATE TABLE more (); SELECT 1 / 0")
            ])
        #expect(throws: StoreError.self) { try broken.migrate(session) }
        #expect(try PostgresSchema.version(of: session) == 0)
        #expect(try session.value("SELECT to_regclass('articles')") == nil)
        try await PostgresStore.open(address).close()
    }

    @Test(arguments: [21, 22, 24, 26])
    func `a schema of a version between the releases is rejected`(version: Int) async throws {
        let address = try newSchema()
        try await PostgresStore.open(address).close()
        let session = try PostgresSession(address, settings: [])
        _ = try session.run("UPDATE schema_version SET version = \(version)")
        let works = [
            { _ = try PostgresStore.open(address) }, { _ = try PostgresStore.check(address) },
        ]
        for work in works {
            #expect {
                try work()
            } throws: { error in
                guard case .unsupported(_, version) = error as? StoreOpeningError else {
                    return false
                }
                return true
            }
        }
        #expect(try PostgresSchema.version(of: session) == version)
    }

    @Test func `a newer schema is rejected and not touched`() async throws {
        let address = try newSchema()
        try await PostgresStore.open(address).close()
        let session = try PostgresSession(address, settings: [])
        _ = try session.run("UPDATE schema_version SET version = 1000")
        #expect {
            try PostgresStore.open(address)
        } throws: { error in
            guard case .newer(_, 1_000, _) = error as? StoreOpeningError else { return false }
            return true
        }
        #expect(try PostgresSchema.version(of: session) == 1_000)
    }

    @Test func `tables that a role may not write are found`() async throws {
        let server = try PostgresServer.shared
        let schema = try server.newSchemaName()
        let role = "reader_\(schema)"
        let address = try server.address(ofSchema: schema)
        let store = try PostgresStore.open(address)
        await store.close()
        #expect(try PostgresInspection(of: address).forbiddenTables == [])
        try server.run(
            """
            CREATE ROLE \(role) LOGIN;
            GRANT USAGE ON SCHEMA \(schema) TO \(role);
            GRANT SELECT ON ALL TABLES IN SCHEMA \(schema) TO \(role)
            """)
        let limited = try PostgresAddress(
            address.text.replacing("user=broadsheet", with: "user=\(role)"))
        #expect(try PostgresInspection(of: address).mayMigrate)
        #expect(try !PostgresInspection(of: limited).mayMigrate)
        let tables = try PostgresInspection(of: limited).forbiddenTables
        #expect(tables.contains("articles") && !tables.contains("schema_version"))
    }

    @Test func `a role that may not change the schema can serve`() async throws {
        let cluster = try PostgresServer.shared
        let address = try cluster.newSchema()
        try await PostgresStore.open(address).close()
        let session = try PostgresSession(address, settings: [])
        let role = "r_\(try session.value("SELECT current_schema()") ?? "")"
        let schema = try #require(try session.value("SELECT current_schema()"))
        _ = try session.run(
            """
            CREATE ROLE \(role) LOGIN;
            GRANT USAGE ON SCHEMA \(schema) TO \(role);
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(role)
            """)
        let other = try PostgresAddress(
            address.text.replacing("user=broadsheet", with: "user=\(role)"))
        let store = try PostgresStore.open(other)
        let article = try await store.createArticle(.make(), .sample(), by: .first)
        #expect(article.revision == 1)
        await store.close()
        let limited = try PostgresSession(other, settings: [])
        #expect(throws: StoreError.self) { try limited.run("CREATE TABLE more ()") }
    }

    @Test func `a pooler whose sessions share a process of the server is rejected`() throws {
        let cluster = try PostgresServer.shared
        let address = try cluster.newSchema()
        let folder = try TemporaryFolder()
        let socket = ".s.PGSQL.5432"
        let proxy = try SocketProxy(
            on: .unix(folder.file(socket)), to: .unix("\(cluster.folder)/\(socket)")
        ) { piece in
            // After the column's name, the row: 'D', two lengths and a count, and the digits.
            guard piece.direction == .toClient,
                let name = piece.bytes.firstRange(of: Array("pg_backend_pid".utf8)),
                let row = piece.bytes[name.upperBound...].firstRange(of: [0x44, 0, 0, 0])
            else { return piece.pass() }
            var bytes = piece.bytes
            let digits = row.lowerBound + 11
            for place in digits..<digits + Int(bytes[digits - 1]) { bytes[place] = 0x30 }
            return piece.pass(bytes[...])
        }
        let shared = try PostgresAddress(
            address.text.replacing(cluster.folder, with: folder.path))
        #expect {
            try PostgresStore.open(shared)
        } throws: { error in
            guard case .unsuitable = error as? StoreOpeningError else { return false }
            return "\(error)".contains("has to be in session mode")
        }
        withExtendedLifetime(proxy) {}
    }

    @Test func `a server that could lose commits is rejected`() async throws {
        let address = try newSchema()
        let unsafe = try PostgresAddress(address.text + "%20-csynchronous_commit%3Doff")
        #expect {
            try PostgresStore.open(unsafe)
        } throws: { error in
            "\(error)".contains("synchronous_commit is off")
        }
    }
}
