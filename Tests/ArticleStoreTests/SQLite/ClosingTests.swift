import ArticleAPI
import ArticleStore
import BroadsheetTestSupport
import Dispatch
import Testing

@testable import ArticleDatabase

/// Stores whose threads are pinned when they are closed.
@Suite struct ClosingTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("a.db")
    }

    private func expectClosed(_ store: SQLiteStore) async throws {
        await #expect(throws: StoreError.self) { _ = try await store.articleCount() }
        await #expect(throws: StoreError.self) {
            _ = try await store.createArticle(.make(), .sample(), by: .first)
        }
    }

    @Test func `a read that does not end is left behind, and the file is free`() async throws {
        let store = try SQLiteStore.open(path: path, mode: .create)
        let article = try await store.createArticle(.make(), .sample(), by: .first)
        let (began, ends) = (Signal(), DispatchSemaphore(value: 0))
        let read = Task {
            try await store.read { (_) throws(StoreError) in
                began.give()
                ends.wait()
            }
        }
        await began.wait()
        let closing = await store.close(readSeconds: 0.05, writeSeconds: 3_600)
        guard case .readsAreLeft = closing else { throw TestFailure("\(closing)") }
        try await expectClosed(store)
        // Another owner writes while the old read still has its state.
        let next = try SQLiteStore.open(path: path, mode: .existing)
        #expect(try await next.edition(of: .id(article.id), visibleTo: .editors).article == article)
        _ = try await next.createArticle(.make(), .sample(), by: .first)
        ends.signal()
        _ = await read.result
        await next.close()
        #expect(try SQLiteStore.check(path: path).isClean)
    }

    @Test func `an export that does not end is left behind, and the file is free`() async throws {
        let store = try SQLiteStore.open(path: path, mode: .create)
        let (began, ends) = (Signal(), DispatchSemaphore(value: 0))
        let export = Task {
            try await store.core.exports.export { (_) throws(StoreError) in
                began.give()
                ends.wait()
            }
        }
        await began.wait()
        let closing = await store.close(readSeconds: 0.05, writeSeconds: 3_600)
        guard case .readsAreLeft = closing else { throw TestFailure("\(closing)") }
        await (try SQLiteStore.open(path: path, mode: .existing)).close()
        ends.signal()
        _ = await export.result
    }

    @Test func `while a write does not end, the file belongs to this process`() async throws {
        let store = try SQLiteStore.open(path: path, mode: .create)
        let (began, ends) = (Signal(), DispatchSemaphore(value: 0))
        let write = Task {
            try await store.submit { (_) throws(StoreError) in
                began.give()
                ends.wait()
            }
        }
        await began.wait()
        let closing = await store.close(readSeconds: 3_600, writeSeconds: 0.05)
        guard case .writeIsLeft = closing else { throw TestFailure("\(closing)") }
        #expect {
            _ = try SQLiteStore.open(path: path, mode: .existing)
        } throws: { error in
            guard case .owned = error as? StoreOpeningError else { return false }
            return true
        }
        ends.signal()
        // It was accepted before, so it is committed.
        try await write.value
        try await expectClosed(store)
    }
}
