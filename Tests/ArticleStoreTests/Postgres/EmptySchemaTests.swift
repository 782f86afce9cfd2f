import BroadsheetTestSupport
import Testing

@testable import ArticleDatabase

/// Tests that use a schema one after the other must not notice it.
@Suite(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct EmptySchemaTests {
    @Test func `a schema that was emptied is like a new one`() async throws {
        let server = try PostgresServer.shared
        let reset = try SchemaReset(server)
        let used = try server.newSchemaName()
        let store = try PostgresStore.open(server.address(ofSchema: used))
        var database = try await RandomDatabase(seed: 1, in: store)
        for _ in 0..<200 { try await database.write(to: store) }
        await store.close()
        let session = try PostgresSession(server.address(ofSchema: used), settings: [])
        func contents(of schema: String) throws -> [String: String] {
            var contents: [String: String] = [:]
            for name in try reset.names(ofKind: "r") {
                contents[name] = try session.value(
                    """
                    SELECT string_agg(each::text, ' ' ORDER BY each::text)
                    FROM \(schema).\(name) each
                    """)
            }
            for name in try reset.names(ofKind: "S") {
                contents[name] = try session.value(
                    "SELECT format('%s %s', last_value, is_called) FROM \(schema).\(name)")
            }
            return contents
        }
        let original = try contents(of: reset.original)
        let before = try contents(of: used)
        #expect(original["actors"] != nil && original["actors_number_seq"] != nil)
        #expect(before.filter { $0.value != original[$0.key] }.count > 20, "every kind of row")
        let emptied = try reset(used)
        #expect(try contents(of: emptied) == original)
    }
}
