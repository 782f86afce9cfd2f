import ArticleAPI
import ArticleStore
import BroadsheetTestSupport
import Testing

@testable import ArticleDatabase

/// The limits of comments and bookmarks, and how they are found.
@Suite struct CommentTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("a.db")
    }

    private func open(_ change: (inout SQLiteConfiguration) -> Void) throws -> SQLiteStore {
        var configuration = SQLiteConfiguration()
        change(&configuration)
        return try SQLiteStore.open(path: path, mode: .create, configuration: configuration)
    }

    @Test func `bookmarks are limited`() async throws {
        let store = try open { $0.bookmarksPerUser = 2 }
        let user = UserRecord.sample()
        try await store.createUser(user, using: nil, at: .start)
        var ids: [Article.ID] = []
        for number in 0..<3 {
            ids.append(
                try await store.createArticle(.make(), .sample("A\(number)"), by: .first).id)
        }
        func put(_ index: Int, position: Double?) async throws {
            _ = try await store.putBookmark(
                of: ids[index], for: user.id, position: position, seeing: .everyone, at: .start)
        }
        try await put(0, position: nil)
        try await put(1, position: nil)
        let error = try await failure { try await put(2, position: nil) }
        guard case .tooMany("bookmarks") = error else { throw error }
        try await put(1, position: 0.5)
        try await store.deleteBookmark(of: ids[0], for: user.id)
        try await put(2, position: nil)
        try await store.deleteUser(user.id, expecting: nil, at: .start)
        await store.close()
        #expect(try SQLiteStore.check(path: path).findings == [])
        let plain = try RawSQLite(path)
        #expect(plain.number("SELECT count(*) FROM bookmark_transitions") == 0)
        #expect(plain.number("SELECT count(*) FROM bookmarks") == 0)
    }

    @Test func `a page ends where its bytes or the examined rows do`() async throws {
        let store = try open {
            $0.bytesPerPage = 1_200
            $0.examinedRowsPerPage = 3
        }
        let thread = try await CommentThread(store)
        var ids: [ArticleComment.ID] = []
        for number in 0..<5 {
            ids.append(try await thread.comment("\(number)", by: thread.ada).id)
        }
        let query = CommentQuery(on: thread.article, viewer: CommentThread.anonymous)
        #expect(try await store.comments(query).items.map(\.id) == Array(ids[..<2]))
        #expect(try await thread.list(CommentThread.anonymous).map(\.id) == ids)
        // All are of an article that editors do not see.
        try await store.deleteArticle(thread.article, expecting: .anything, by: .later(9))
        let page = try await store.comments(CommentQuery(status: .visible))
        #expect(page.items == [] && page.next?.id == ids[2])
        let rest = try await store.comments(
            CommentQuery(status: .visible, after: page.next))
        #expect(rest.items == [] && rest.next == nil)
        await store.close()
    }

    /// All that find comments and bookmarks.
    private static let statements = [
        SQL.comment, SQL.commentByNumber, SQL.commentCount, SQL.oldestForEveryone,
        SQL.newestForEveryone, SQL.oldestForEditors, SQL.newestForEditors, SQL.oldestComments,
        SQL.newestComments, SQL.oldestByWriter, SQL.newestByWriter, SQL.oldestInState,
        SQL.newestInState, SQL.recentComments,
        SQL.sameComment, SQL.updateComment, SQL.removeKeptText, SQL.commentHTML,
        SQL.keepCommentHTML,
        SQL.uncountVisible, SQL.removeCommentTransition,
        SQL.lastCommentOfUser, SQL.commentsOfUser, SQL.bookmarksBefore, SQL.bookmark,
        SQL.hasBookmarks, SQL.lastBookmarkRevision, SQL.removeBookmark, SQL.removeBookmarks,
        SQL.identitiesOfUser, SQL.changeCount,
        SQL.removeBookmarkTransitions, SQL.removeBookmarkDepartures, SQL.commentTransitionsAfter,
        SQL.lastCommentTransition, SQL.bookmarkTransitionsAfter, SQL.lastBookmarkTransition,
    ]

    @Test func `comments are found by indexes alone, in the order of these`() async throws {
        await (try open { _ in }).close()
        let plain = try RawSQLite(path)
        for statement in Self.statements {
            let plan = plain.texts("EXPLAIN QUERY PLAN \(statement)", column: 3)
            #expect(plan.contains { $0.hasPrefix("SEARCH") }, "\(statement): \(plan)")
            let isSlow = plan.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") }
            #expect(!isSlow, "\(statement): \(plan)")
        }
    }

    @Test func `a list of comments is found by the article`() async throws {
        await (try open { _ in }).close()
        let plain = try RawSQLite(path)
        let lists = [
            (SQL.oldestForEveryone, "comments_for_everyone (article=? AND"),
            (SQL.newestForEveryone, "comments_for_writers (article=? AND writer=? AND"),
            (SQL.oldestByWriter, "comments_by_writer (writer=? AND (created_at,id)>"),
            (SQL.newestByWriter, "comments_by_writer (writer=? AND (created_at,id)<"),
            (SQL.oldestForEditors, "comments_for_editors (article=? AND"),
            (SQL.newestForEditors, "comments_for_editors (article=? AND"),
        ]
        for (statement, index) in lists {
            let plan = plain.texts("EXPLAIN QUERY PLAN \(statement)", column: 3)
            #expect(plan.contains { $0.contains(index) }, "\(statement): \(plan)")
        }
    }
}
