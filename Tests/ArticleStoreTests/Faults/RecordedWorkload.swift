import ArticleAPI
import ArticleAdminAPI
import ArticleStore
import Testing

@testable import ArticleDatabase

/// Runs a short workload on a store, and records the result of each step.
struct RecordedWorkload {
    /// The state after an acknowledged write.
    struct Mark: Sendable, Hashable {
        var id: Article.ID
        var revision: Int
        var body: String?
    }

    /// Acknowledged writes in order.
    private(set) var acknowledged: [Mark] = []
    /// Ids of creations that failed.
    private(set) var failed: [Article.ID] = []
    private(set) var errors: [StoreError] = []
    /// The article that was scheduled, if that was acknowledged.
    private(set) var scheduled: Article.ID?

    /// The log is checkpointed every few commits, so that this is interrupted, too.
    static var configuration: SQLiteConfiguration {
        var configuration = SQLiteConfiguration()
        configuration.logBytes = 96 << 10
        configuration.readers = 1
        return configuration
    }

    static func open(_ path: String) throws(StoreOpeningError) -> SQLiteStore {
        try SQLiteStore.open(path: path, mode: .create, configuration: configuration)
    }

    /// Creates articles of some size, edits and deletes one in three, publishes a scheduled one;
    /// runs several at a time at the end.
    mutating func work(on store: SQLiteStore) async {
        for number in 0..<6 {
            let made = Mark(id: .make(), revision: 1, body: Self.body(number))
            guard await create(made, number, on: store) else { continue }
            guard number % 3 == 1 else { continue }
            await revise(made, on: store)
        }
        await publish(on: store)
        let more = (6..<10).map { Mark(id: .make(), revision: 1, body: Self.body($0)) }
        let outcomes = await withTaskGroup(of: (Mark, StoreError?).self) { group in
            for (number, mark) in more.enumerated() {
                group.addTask { (mark, await Self.attempt(mark, number + 6, on: store)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for (mark, error) in outcomes { note(mark, error) }
    }

    private static func body(_ number: Int) -> String {
        String(repeating: "\(number) and more. ", count: 300 + 200 * (number % 3))
    }

    mutating func create(_ mark: Mark, _ number: Int, on store: SQLiteStore) async -> Bool {
        let error = await Self.attempt(mark, number, on: store)
        note(mark, error)
        return error == nil
    }

    private static func attempt(
        _ mark: Mark, _ number: Int, on store: SQLiteStore
    ) async -> StoreError? {
        do throws(StoreError) {
            _ = try await store.createArticle(
                mark.id, .sample("n\(number)", body: mark.body ?? "", tags: ["t"]), by: .first)
            return nil
        } catch { return error }
    }

    private mutating func note(_ mark: Mark, _ error: StoreError?) {
        if let error {
            failed.append(mark.id)
            errors.append(error)
        } else {
            acknowledged.append(mark)
        }
    }

    private mutating func revise(_ mark: Mark, on store: SQLiteStore) async {
        do throws(StoreError) {
            let made = try await store.revision(1, of: mark.id)
            let changed = try await store.updateArticle(
                mark.id, expecting: .version(made), by: .later(1)
            ) { .of($0) { $0.draft.body = "Shorter." } }
            acknowledged.append(Mark(id: mark.id, revision: 2, body: changed.body))
            try await store.deleteArticle(mark.id, expecting: .version(changed), by: .later(2))
            acknowledged.append(Mark(id: mark.id, revision: 3, body: nil))
        } catch { errors.append(error) }
    }

    private mutating func publish(on store: SQLiteStore) async {
        let made = Mark(id: .make(), revision: 1, body: "Soon.")
        do throws(StoreError) {
            _ = try await store.createArticle(
                made.id, .sample("soon", body: "Soon.", status: .scheduled), by: .first)
        } catch { return note(made, error) }
        note(made, nil)
        scheduled = made.id
        do throws(StoreError) {
            _ = try await store.publishDueArticles(at: .start, limit: 1)
            acknowledged.append(Mark(id: made.id, revision: 2, body: made.body))
        } catch { errors.append(error) }
    }

    // MARK: Expectations

    /// However far it came, the scheduled article is published once.
    func verifyPublication(in store: SQLiteStore, _ what: Testing.Comment) async throws {
        for _ in 0..<2 { _ = try await store.publishDueArticles(at: .start, limit: 1) }
        guard let scheduled else { return }
        let history = try await store.revisions(of: scheduled, below: nil, limit: 9).items
        #expect(history.map(\.status) == [.published, .scheduled], what)
    }

    /// Every acknowledged write is preserved.
    func verifyAcknowledged(in store: SQLiteStore, _ what: Testing.Comment) async throws {
        for mark in acknowledged {
            let history = try await store.revisions(
                of: mark.id, below: mark.revision + 1, limit: 1)
            #expect(history.items.first?.number == mark.revision, what)
            guard let body = mark.body else { continue }
            let article = try await store.revision(mark.revision, of: mark.id)
            #expect(article.body == body, what)
        }
    }

    /// No failed write has left anything behind.
    func verifyFailed(in store: SQLiteStore, _ what: Testing.Comment) async throws {
        for id in failed {
            let history = try? await store.revisions(of: id, below: nil, limit: 1)
            #expect(history?.items.isEmpty ?? true, what)
        }
    }
}
