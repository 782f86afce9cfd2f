import ArticleAPI
import ArticleDatabase
import ArticleImportExport
import ArticleServiceCore
import ArticleServices
import ArticleStore
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Glibc
import Testing

/// A temporary folder and its contents.
struct ImportFolder {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func path(_ name: String) -> String { folder.file(name) }

    /// Writes a file and creates its parent folders.
    func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        var parts = name.split(separator: "/").dropLast()
        var folders: [String] = []
        while let part = parts.popFirst() {
            folders.append(String(part))
            mkdir(path(folders.joined(separator: "/")), 0o755)
        }
        let file = try #require(fopen(path(name), "w"))
        defer { fclose(file) }
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }

    func bytes(_ name: String) throws -> [UInt8] {
        let file = try #require(fopen(path(name), "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
    }
}

/// A store in a temporary folder with files to import.
struct ImportFixture {
    let folder: ImportFolder
    let store: SQLiteStore

    /// Runs the body with an empty store, and checks the store's integrity.
    static func with(_ body: (ImportFixture) async throws -> Void) async throws {
        let folder = try ImportFolder()
        let store = try await SQLiteStore.openNew(folder.path("store.db"))
        do {
            try await body(ImportFixture(folder: folder, store: store))
        } catch {
            await store.close()
            throw error
        }
        await store.close()
        #expect(try SQLiteStore.check(path: folder.path("store.db")).findings == [])
    }

    /// 2026-01-01T00:00:00Z plus a number of seconds.
    static func time(_ seconds: Int64) -> Timestamp {
        Timestamp(milliseconds: 1_767_225_600_000 + 1_000 * seconds)
    }

    func path(_ name: String) -> String { folder.path(name) }

    func write(_ name: String, _ text: String) throws { try folder.write(name, text) }

    func write(_ name: String, _ bytes: [UInt8]) throws { try folder.write(name, bytes) }

    func bytes(_ name: String) throws -> [UInt8] { try folder.bytes(name) }

    /// Imports the named paths at this number of seconds.
    func run(
        _ names: String..., at seconds: Int64 = 0, language: String = "en", isDryRun: Bool = false,
        isAsDrafts: Bool = false, restoresDeleted: Bool = false
    ) async throws -> ImportReport {
        let importer = try importer(
            at: seconds, language: language, isDryRun: isDryRun, isAsDrafts: isAsDrafts,
            restoresDeleted: restoresDeleted)
        return try await importer.run(names.map(path))
    }

    func importer(
        at seconds: Int64 = 0, language: String = "en", isDryRun: Bool = false,
        isAsDrafts: Bool = false, restoresDeleted: Bool = false, siteURL: String? = nil
    ) throws -> Importer {
        Importer(
            store: store, language: try #require(LanguageTag(language)), isDryRun: isDryRun,
            isAsDrafts: isAsDrafts, restoresDeleted: restoresDeleted, siteURL: siteURL,
            markdown: TestBackend.renderers.articles, system: .clock { Self.time(seconds) })
    }

    /// Writes an export to a file.
    @discardableResult
    func export(_ name: String) async throws -> ExportReport {
        let descriptor = open(path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        #expect(descriptor >= 0)
        defer { close(descriptor) }
        return try await Exporter(store: store).write(to: descriptor)
    }

    func article(_ slug: String) async throws -> Article {
        try await store.article(.slug(slug), visibleTo: .editors)
    }

    /// All articles in the order of their creation.
    func articles() async throws -> [Article] {
        var query = ArticleQuery(audience: .editors)
        query.sort = .createdFirst
        query.limit = 100
        query.withBodies = true
        return try await store.articles(query).items
    }
}

extension Article {
    /// Without its version, which is different in each database.
    var unversioned: Article {
        var article = self
        article.version = nil
        return article
    }
}

extension ImportReport {
    /// The counts for comparison.
    var counts: [String: Int] {
        [
            "created": created, "updated": updated, "unchanged": unchanged,
            "keptEdits": keptEdits, "deletedHere": deletedHere, "restored": restored,
            "failed": failed,
        ].filter { $0.value > 0 }
    }
}
