import ArticleAPI
import ArticleAdminAPI
import ArticleDatabase
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Testing

@testable import ArticleOperations
@testable import ArticleServices

/// The declared requests of admins, and where they are served.
@Suite struct AdminContractTests {
    @Test(arguments: Contract.adminRequests.indices)
    func `a request of an admin survives printing and parsing`(index: Int) {
        let type = Contract.adminRequests[index]
        #expect(RequestLaw.violations(of: type, seed: UInt64(index + 1)) == [])
    }

    private static func place(_ type: any BackendAPIRequest.Type) -> String {
        "\(type.endpoint.method) \(type.endpoint.template)"
    }

    @Test func `only admins may send them, and all are below one path`() {
        for type in Contract.adminRequests {
            #expect(type.endpoint.access == .administer)
            #expect(type.endpoint.template.description.hasPrefix(AdminPath.prefix))
        }
        for type in Contract.requests { #expect(type.endpoint.access != .administer) }
    }

    @Test func `the routers serve what the contract lists, and nothing else`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.openNew(folder.file("store.db"))
        let backend = try await Backend(
            store: store, file: store, system: .clock { TestBackend.opening }, log: { _ in })
        let declared = (Contract.requests + Contract.adminRequests).map(Self.place)
        let served = declared + ["GET /livez", "GET /readyz"]
        let console = [
            "GET /", "GET /console", "GET /console/{hash}/{name}", "GET /console/session",
            "POST /console/session", "DELETE /console/session",
        ]
        #expect(try backend.router().endpoints.sorted() == (served + console).sorted())
        let operators = [Self.place(CreateConsoleLinkRequest.self)]
        #expect(try backend.controlRouter().endpoints.sorted() == (served + operators).sorted())
        await store.close()
    }

    @Test func `their paths are part of the contract`() {
        #expect(
            Contract.adminRequests.map(Self.place) == [
                "GET /v1/admin/state", "GET /v1/admin/check", "POST /v1/admin/history",
                "GET /v1/admin/keys", "POST /v1/admin/keys",
                "POST /v1/admin/keys/{id}/revocation",
                "POST /v1/admin/imports", "GET /v1/admin/export", "POST /v1/admin/restorations",
                "POST /v1/admin/backups", "GET /v1/admin/backup",
                "GET /v1/admin/backups/current", "GET /v1/admin/statistics",
                "POST /v1/admin/import", "POST /v1/admin/vacuum",
                "POST /v1/admin/purge",
            ])
    }
}
