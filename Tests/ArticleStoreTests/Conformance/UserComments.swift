import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import Testing

extension ArticleStoreConformance {
    /// The consequences of a user's deletion for comments and bookmarks.
    @Suite struct UserComments {
        @Test(arguments: Engine.all)
        func `comments stay when their writer is deleted`(_ engine: Engine) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                let first = try await thread.comment("one", by: thread.ada)
                let second = try await thread.comment("two", by: thread.bob, to: first.id)
                _ = try await thread.comment("three", by: thread.ada, as: .pending)
                try await store.deleteUser(thread.ada.id, expecting: nil, at: .start)
                let left = try await thread.list(CommentThread.editor)
                #expect(left.map(\.body) == ["one", "two", "three"])
                #expect(left.map(\.author) == [nil, second.author, nil])
                #expect(left.map(\.revision) == [2, 1, 2])
                #expect(
                    try await thread.list(CommentThread.anonymous).map(\.body) == ["one", "two"])
                #expect(try await store.commentCounts(of: [thread.article]) == [2])

                // Another user, whose row may have the same number, is not taken for the writer.
                let eve = UserRecord.sample("eve")
                try await store.createUser(eve, using: nil, at: .start)
                let seen = try await thread.list(thread.viewer(eve))
                #expect(seen.map(\.body) == ["one", "two"])
                let error = try await failure {
                    try await thread.delete(left[2].id, as: thread.viewer(eve))
                }
                guard case .notFound = error else { throw error }
            }
        }

        @Test(arguments: Engine.all)
        func `comments are deleted with their writer`(_ engine: Engine) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                let first = try await thread.comment("one", by: thread.ada)
                let reply = try await thread.comment("two", by: thread.bob, to: first.id)
                for number in 0..<450 {
                    _ = try await thread.comment("more \(number)", by: thread.ada)
                }
                let wrong = try await failure {
                    try await store.deleteUser(
                        thread.ada.id, expecting: 7, comments: .delete, at: .start)
                }
                guard case .preconditionFailed(current: 1) = wrong else { throw wrong }
                #expect(try await store.commentCounts(of: [thread.article]) == [452])
                try await store.deleteUser(
                    thread.ada.id, expecting: 1, comments: .delete, at: .start)
                let left = try await thread.list(CommentThread.anonymous)
                #expect(left.map(\.id) == [first.id, reply.id])
                #expect(left.map(\.status) == [.deleted, .visible])
                #expect(left.map(\.body) == ["", "two"])
                #expect(try await store.commentCounts(of: [thread.article]) == [1])
            }
        }

        @Test(arguments: Engine.all)
        func `a deletion that has begun is completed, whatever changes in between`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                for number in 0..<250 {
                    _ = try await thread.comment("\(number)", by: thread.ada)
                }
                let (id, time) = (thread.ada.id, Timestamp.start + 500)
                let wrong = try await failure {
                    try await store.beginDeletion(
                        of: id, expecting: 7, comments: .delete, at: time)
                }
                guard case .preconditionFailed(current: 1) = wrong else { throw wrong }
                #expect(try await store.unfinishedDeletions() == [])
                try await store.finishDeletion(of: id, at: time)
                #expect(try await store.user(id) == thread.ada)

                try await store.beginDeletion(of: id, expecting: 1, comments: .delete, at: time)
                #expect(try await store.unfinishedDeletions() == [id])
                let marked = try await store.user(id)
                #expect(marked.isDisabled && marked.revision == 2)
                #expect(marked.accessEpoch == thread.ada.accessEpoch + 1)
                _ = try await store.updateUser(
                    id, expecting: nil, UserChange(displayName: "Ada", isDisabled: false),
                    at: time)
                _ = try await thread.comment("one more", by: thread.ada)
                try await store.finishDeletion(of: id, at: time)
                try await store.finishDeletion(of: id, at: time)
                #expect(try await store.unfinishedDeletions() == [])
                #expect(try await thread.list(CommentThread.editor) == [])
                let gone = try await failure { _ = try await store.user(id) }
                guard case .notFound = gone else { throw gone }
            }
        }

        @Test(arguments: Engine.all)
        func `editors find the comments of a user, until the account is deleted`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                var ids: [ArticleComment.ID] = []
                for number in 0..<5 {
                    let comment = try await thread.comment(
                        "\(number)", by: thread.ada, as: number == 2 ? .pending : .visible)
                    ids.append(comment.id)
                    _ = try await thread.comment("other \(number)", by: thread.bob)
                }
                func list(
                    _ status: ArticleComment.Status? = nil, by writer: User.ID, _ sort: CommentSort
                ) async throws -> [ArticleComment.ID] {
                    var query = CommentQuery(status: status, by: writer, sort: sort, limit: 2)
                    var found: [ArticleComment.ID] = []
                    repeat {
                        let page = try await store.comments(query)
                        found += page.items.map(\.id)
                        query.after = page.next
                    } while query.after != nil
                    return found
                }
                let ada = thread.ada.id
                #expect(try await list(by: ada, .oldest) == ids)
                #expect(try await list(by: ada, .newest) == ids.reversed())
                #expect(try await list(.pending, by: ada, .oldest) == [ids[2]])
                #expect(try await list(by: .make(), .oldest) == [])
                try await store.deleteUser(ada, expecting: nil, at: .start)
                // Nothing that is stored says whose they were.
                #expect(try await list(by: ada, .oldest) == [])
            }
        }

        @Test(arguments: Engine.all)
        func `a new display name is a change of one comment`(_ engine: Engine) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                let change = UserChange(displayName: "Countess")
                let start = try await store.changeSequence()
                _ = try await store.updateUser(
                    thread.bob.id, expecting: nil, change, at: .start + 50)
                #expect(try await store.changeSequence() == start)
                _ = try await thread.comment("one", by: thread.ada)
                let last = try await thread.comment("two", by: thread.ada)
                let observer = ChangeRecorder()
                store.observeChanges(observer)
                _ = try await store.updateUser(
                    thread.ada.id, expecting: nil, change, at: .start + 50)
                let record = ChangeRecord(
                    sequence: start + 3, subject: .comment(last.id, on: thread.article),
                    revision: 2, isDeletion: false, isPublic: true,
                    renamedWriter: thread.ada.id)
                #expect(observer.records.withLock { $0 } == [record])
                let names = try await thread.list(CommentThread.anonymous).map {
                    $0.author?.displayName
                }
                #expect(names == ["Countess", "Countess"])
            }
        }

        @Test(arguments: Engine.all)
        func `comments are part of the change sequence`(_ engine: Engine) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                let observer = ChangeRecorder()
                store.observeChanges(observer)
                let start = try await store.changeSequence()
                let pending = try await thread.comment("one", by: thread.ada, as: .pending)
                _ = try await thread.set(pending.id, .visible)
                let reply = try await thread.comment("two", by: thread.bob, to: pending.id)
                try await thread.delete(pending.id, as: thread.viewer(thread.ada))
                _ = try await thread.set(reply.id, .hidden)
                func record(
                    _ place: Int64, _ comment: ArticleComment, _ revision: Int,
                    isDeletion: Bool = false, isPublic: Bool = true
                ) -> ChangeRecord {
                    ChangeRecord(
                        sequence: start + place,
                        subject: .comment(comment.id, on: thread.article), revision: revision,
                        isDeletion: isDeletion, isPublic: isPublic)
                }
                var expected = [
                    record(1, pending, 1, isPublic: false), record(2, pending, 2),
                    record(3, reply, 1), record(4, pending, 3, isDeletion: true),
                    // The deleted comment no longer has a visible reply.
                    record(5, reply, 2), record(6, pending, 4, isDeletion: true),
                ]
                #expect(observer.records.withLock { $0 } == expected)
                expected[0].isPublic = true
                #expect(try await store.changes(after: start, limit: 100) == expected)
            }
        }

        @Test(arguments: Engine.all)
        func `the owner of a draft sees its comments, and others do not`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let ada = UserRecord.sample("ada", role: "author")
                let ben = UserRecord.sample("ben", role: "author")
                for user in [ada, ben] {
                    try await store.createUser(user, using: nil, at: .start)
                }
                let draft = ArticleContent.sample(status: .draft, at: nil)
                let article = try await store.createArticle(.make(), draft, by: .author(ada)).id
                func write(
                    _ body: String, by user: UserRecord, as status: ArticleComment.Status
                ) async throws(StoreError) -> ArticleComment {
                    let content = CommentContent(
                        article: article, body: body, writer: user.id, audience: .author(user.id))
                    return try await store.createComment(
                        .make(), content, as: status, by: .first)
                }
                let comment = try await write("one", by: ada, as: .visible)
                _ = try await write("two", by: ada, as: .hidden)
                let rejected = try await failure {
                    _ = try await write("three", by: ben, as: .visible)
                }
                guard case .notFound = rejected else { throw rejected }

                let owner = CommentViewer(audience: .author(ada.id), user: ada.id)
                let seen = try await store.comments(CommentQuery(on: article, viewer: owner))
                #expect(seen.items == [comment])
                #expect(try await store.comment(comment.id, visibleTo: owner) == comment)
                let others = [
                    CommentViewer(audience: .author(ben.id), user: ben.id), CommentThread.anonymous,
                    // Without the role of an author, nobody sees their own drafts.
                    CommentViewer(audience: .everyone, user: ada.id),
                ]
                for viewer in others {
                    let list = try await failure {
                        _ = try await store.comments(CommentQuery(on: article, viewer: viewer))
                    }
                    guard case .notFound = list else { throw list }
                    let one = try await failure {
                        _ = try await store.comment(comment.id, visibleTo: viewer)
                    }
                    guard case .notFound = one else { throw one }
                }
            }
        }

        @Test(arguments: Engine.all)
        func `followers of articles do not notice comments and bookmarks`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                // The user is not notified of own bookmarks either, even as an owner of articles.
                let audiences = [Audience.everyone, .editors, .author(thread.ada.id)]
                for (number, audience) in audiences.enumerated() {
                    var query = ChangeQuery(audience: audience)
                    query.startsNow = true
                    let before = try await store.changes(query).position
                    _ = try await thread.comment("\(audience)", by: thread.ada)
                    _ = try await store.putBookmark(
                        of: thread.article, for: thread.ada.id,
                        position: Double(number) / 2, seeing: .everyone, at: .start)
                    #expect(try await store.changes(query).position == before)
                    query.startsNow = false
                    query.position = before
                    let slice = try await store.changes(query)
                    #expect(slice.items.isEmpty && slice.position == before && slice.isLast)
                }
            }
        }
    }
}

/// Keeps the changes that it is notified of.
private final class ChangeRecorder: ChangeObserver {
    let records = Lock<[ChangeRecord]>([])

    func didCommit(_ changes: CommitChanges) {
        records.withLock { $0 += changes.records ?? [] }
    }
}
