import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc
import Testing

/// The examples of repeated writes, imports, exports, keys and copies.
@Suite struct ArticleStoreFileExamples {
    private let time = Timestamp(milliseconds: 1_767_225_600_000)
    private let id = Article.ID(at: Timestamp(milliseconds: 1_767_225_600_000))
    private let digest = [UInt8](repeating: 7, count: 32)
    private var edit: Edit { Edit(at: time, by: .operator) }

    private var content: ArticleContent {
        let draft = Article.Draft(title: "Bread", body: "Flour and water.")
        return ArticleContent(draft, slug: .like("bread"), measure: TextMeasure(draft.body))
    }

    @Test func `a write that is done once`() async throws {
        let (scope, request) = (digest, [UInt8](repeating: 8, count: 32))
        try await ExampleStore.run { store in
            let key = IdempotencyKey(scope: scope, request: request, principal: "ada")
            let edit = Edit(at: time, by: .key(id: "editor"), key: key)
            #expect(try await store.idempotencyRecord(key.scope, at: time) == nil)
            let article = try await store.createArticle(id, content, by: edit)
            let record = try await store.idempotencyRecord(key.scope, at: time)
            let isRepetition = record?.request == key.request
            #expect(isRepetition)
            guard case .done(let item, isNew: true, let body)? = record?.outcome else {
                throw TestFailure("\(record as Any)")
            }
            #expect(!item.isEmpty && body == article.body && body == "Flour and water.")
        }
    }

    @Test func `an import`() async throws {
        try await ExampleStore.run { store in
            let items = [ImportItem(path: "bread.md", digest: digest, id: id, content: content)]
            let results = try await store.importArticles(items, by: edit, dryRun: false)
            let created = results.filter { (try? $0.get()) == .created }
            #expect(created.count == 1)
        }
    }

    @Test func `an export, and its restoration`() async throws {
        let records = try await exported()
        var titles: [String] = []
        for case .revision(let step) in records { titles.append(step.article.title) }
        #expect(titles == ["Bread"])
        try await ExampleStore.run { store in
            #expect(try await store.restore(records, dryRun: false).added == records.count)
            let counts = try await store.restore(records, dryRun: false)
            let isRepetition = counts.added == 0
            #expect(isRepetition && counts.unchanged == records.count)
        }
    }

    private func exported() async throws -> [ExportRecord] {
        var result: [ExportRecord] = []
        try await ExampleStore.run { store in
            _ = try await store.createArticle(id, content, by: edit)
            let records = Lock<[ExportRecord]>([])
            try await store.export { record in records.withLock { $0.append(record) } }
            result = records.withLock { $0 }
        }
        return result
    }

    @Test func `keys and secrets`() async throws {
        try await ExampleStore.run { store in
            let key = KeyRecord(
                id: "k7", digest: digest, name: "Newsroom", role: "editor", createdAt: time)
            try await store.createKey(key)
            let revoked = try await store.revokeKey("k7", at: time)
            #expect(revoked.revokedAt == time)
            #expect(try await store.keys() == [revoked])
            let secret = try await store.secret(named: "cursors")
            #expect(secret.count == 32)
            #expect(try await store.secret(named: "cursors") == secret)
        }
    }

    @Test func `maintenance`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("copy.db")
        let steps = Lock<[Int]>([])
        close(open(path, O_RDWR | O_CREAT | O_EXCL, 0o600))
        try await ExampleStore.run { store in
            let report = try await store.check()
            let findings = report.isClean ? "none" : report.findings.joined(separator: "\n")
            #expect(findings == "none")
            var progress = VacuumProgress()
            while !progress.isComplete { progress = try await store.vacuum(progress) }
            let copy = try store.copy(into: path)
            try await copy.make { progress in steps.withLock { $0.append(progress.pages) } }
        }
        #expect(steps.withLock { $0.last ?? 0 } > 0)
        withExtendedLifetime(folder) {}
    }

    @Test func `a store that cannot be opened`() {
        let path = "articles.db"
        let error = StoreOpeningError.missing(path: path)
        let line = "broadsheet: \(error)"
        #expect(line == "broadsheet: articles.db does not exist")
    }
}
