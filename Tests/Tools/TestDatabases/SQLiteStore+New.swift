package import ArticleDatabase
import ArticleStore
package import BroadsheetPlatform
import BroadsheetTestSupport

extension SQLiteStore {
    /// Migrated once for the tests of a process, and without an epoch, like a backup: a store that
    /// opens a copy begins a history of its own.
    private static let template = Task.detached { () throws -> FileTemplate in
        let folder = try TemporaryFolder()
        let path = folder.file("template.db")
        try await open(path: path, mode: .create, system: .real).close()
        let report = try settle(copy: path)
        guard report.isClean else { throw TestFailure("the template: \(report.findings)") }
        return try FileTemplate(of: path)
    }

    /// Opens a database for tests that are not about its creation: a missing file is copied from
    /// a migrated one.
    package static func openNew(
        _ path: String, configuration: SQLiteConfiguration = SQLiteConfiguration(),
        system: SystemEnvironment = .real
    ) async throws -> SQLiteStore {
        try await template.value.copy(to: path)
        return try open(path: path, mode: .existing, configuration: configuration, system: system)
    }
}
