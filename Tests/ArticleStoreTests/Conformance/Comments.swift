import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import Testing

extension ArticleStoreConformance {
    @Suite struct Comments {
        @Test(arguments: Engine.all)
        func `a comment is seen by everyone who sees its article`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                let comment = try await thread.comment("What about rye?", by: thread.ada)
                let author = User(id: thread.ada.id, displayName: thread.ada.displayName)
                #expect(comment.articleID == thread.article && comment.parentID == nil)
                #expect(comment.author == author && comment.body == "What about rye?")
                #expect(comment.status == .visible && comment.revision == 1)
                #expect(comment.createdAt == .start + 1 && comment.updatedAt == .start + 1)
                for viewer in [
                    CommentThread.anonymous, CommentThread.editor, thread.viewer(thread.bob),
                ] {
                    #expect(try await store.comment(comment.id, visibleTo: viewer) == comment)
                    #expect(try await thread.list(viewer) == [comment])
                }
                #expect(try await store.commentCounts(of: [thread.article, .make()]) == [1, 0])

                _ = try await store.updateArticle(
                    thread.article, expecting: .anything, by: .later(9)
                ) { article in .of(article) { $0.draft.status = .archived } }
                for viewer in [CommentThread.anonymous, thread.viewer(thread.ada)] {
                    try await thread.expectNotFound(comment.id, viewer)
                    let error = try await failure { _ = try await thread.list(viewer) }
                    guard case .notFound = error else { throw error }
                }
                #expect(try await thread.list(CommentThread.editor) == [comment])
                try await store.deleteArticle(
                    thread.article, expecting: .anything, by: .later(10))
                try await thread.expectNotFound(comment.id, CommentThread.editor)
                let all = try await store.comments(CommentQuery(status: nil))
                #expect(all.items == [])
            }
        }

        @Test(arguments: Engine.all)
        func `a pending comment is seen by its writer and by editors alone`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                let first = try await thread.comment("one", by: thread.bob)
                let pending = try await thread.comment("two", by: thread.ada, as: .pending)
                let last = try await thread.comment("three", by: thread.bob)
                for viewer in [thread.viewer(thread.ada), CommentThread.editor] {
                    #expect(try await thread.list(viewer) == [first, pending, last])
                    #expect(try await store.comment(pending.id, visibleTo: viewer) == pending)
                    let newest = try await store.comments(
                        CommentQuery(on: thread.article, viewer: viewer, sort: .newest))
                    #expect(newest.items == [last, pending, first])
                }
                for viewer in [thread.viewer(thread.bob), CommentThread.anonymous] {
                    #expect(try await thread.list(viewer) == [first, last])
                    try await thread.expectNotFound(pending.id, viewer)
                }
                let found = try await store.comments(CommentQuery(status: .pending))
                #expect(found.items == [pending])
                let approved = try await thread.set(pending.id, .visible)
                #expect(approved.revision == 2 && approved.updatedAt == pending.updatedAt)
                #expect(try await thread.list(CommentThread.anonymous) == [first, approved, last])
            }
        }

        @Test(arguments: Engine.all)
        func `a hidden comment is seen by editors alone`(_ engine: Engine) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                let comment = try await thread.comment("one", by: thread.ada)
                let hidden = try await thread.set(comment.id, .hidden)
                #expect(hidden.status == .hidden && hidden.body == "one")
                for viewer in [thread.viewer(thread.ada), CommentThread.anonymous] {
                    try await thread.expectNotFound(comment.id, viewer)
                    #expect(try await thread.list(viewer) == [])
                }
                #expect(try await thread.list(CommentThread.editor) == [hidden])
                #expect(try await store.commentCounts(of: [thread.article]) == [0])
                let shown = try await thread.set(comment.id, .visible)
                #expect(shown.revision == 3)
                #expect(try await thread.list(CommentThread.anonymous) == [shown])
            }
        }

        @Test(arguments: Engine.all)
        func `a place is left of a comment that is gone while it has visible replies`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                let top = try await thread.comment("top", by: thread.ada)
                let reply = try await thread.comment("reply", by: thread.bob, to: top.id)
                #expect(reply.parentID == top.id)
                _ = try await thread.set(top.id, .hidden)
                let place = try #require(try await thread.list(CommentThread.anonymous).first)
                #expect(place.id == top.id && place.status == .hidden && place.body == "")
                #expect(place.author == nil)
                #expect(
                    try await store.comment(top.id, visibleTo: thread.viewer(thread.ada)) == place)
                #expect(
                    try await thread.list(CommentThread.editor).map(\.body) == ["top", "reply"])

                try await thread.delete(top.id, as: thread.viewer(thread.ada))
                let deleted = try await thread.list(CommentThread.anonymous)
                #expect(deleted.map(\.status) == [.deleted, .visible])
                #expect(deleted.map(\.body) == ["", "reply"])
                _ = try await thread.set(reply.id, .hidden)
                #expect(try await thread.list(CommentThread.anonymous) == [])
                try await thread.expectNotFound(top.id, CommentThread.anonymous)
                _ = try await thread.set(reply.id, .visible)
                let again = try await thread.list(CommentThread.anonymous)
                #expect(again.map(\.id) == [top.id, reply.id])
                // It left sight and came back.
                #expect(again[0].revision == deleted[0].revision + 2)
            }
        }

        @Test(arguments: Engine.all)
        func `a deleted comment has no text`(_ engine: Engine) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                let comment = try await thread.comment("one", by: thread.ada)
                _ = try await thread.set(comment.id, .hidden)
                let own = thread.viewer(thread.ada)
                for viewer in [thread.viewer(thread.bob), CommentThread.anonymous] {
                    let error = try await failure {
                        try await thread.delete(comment.id, as: viewer)
                    }
                    guard case .notFound = error else { throw error }
                }
                try await thread.delete(comment.id, as: own)
                #expect(try await thread.list(CommentThread.editor) == [])
                let found = try await store.comments(CommentQuery(status: .deleted)).items
                #expect(found.map(\.id) == [comment.id] && found.map(\.body) == [""])
                let operations: [() async throws -> Void] = [
                    { try await thread.delete(comment.id, as: own) },
                    { _ = try await thread.set(comment.id, .visible) },
                    { _ = try await store.comment(comment.id, visibleTo: own) },
                ]
                for operation in operations {
                    let error = try await failure(of: operation)
                    guard case .notFound = error else { throw error }
                }
            }
        }

        @Test(arguments: Engine.all)
        func `who decides about a comment knows its situation`(_ engine: Engine) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                let other = try await store.createArticle(.make(), .sample("Cake"), by: .first)
                let situations = Lock<[CommentContext]>([])
                func comment(
                    _ body: String, at milliseconds: Int64, to parent: ArticleComment.ID? = nil,
                    on article: Article.ID? = nil, by user: UserRecord? = nil
                ) async throws -> ArticleComment {
                    let content = CommentContent(
                        article: article ?? thread.article, parent: parent, body: body,
                        writer: (user ?? thread.ada).id)
                    let id = ArticleComment.ID.make()
                    let context = try await store.commentContext(
                        of: content, as: id, at: Edit.later(milliseconds).time)
                    situations.withLock { $0.append(context) }
                    return try await store.createComment(
                        id, content, under: .giving(.visible), by: .later(milliseconds))
                }
                func rejected(
                    _ body: String, at milliseconds: Int64, to parent: ArticleComment.ID? = nil,
                    on article: Article.ID? = nil
                ) async throws {
                    let error = try await failure {
                        _ = try await comment(body, at: milliseconds, to: parent, on: article)
                    }
                    switch error {
                    case .invalid, .repeatedComment: break
                    default: throw error
                    }
                }
                let one = try await comment("one", at: 1_000)
                let reply = try await comment("two", at: 2_000, to: one.id)
                try await rejected("one", at: 60_999)
                _ = try await comment("one", at: 61_000, on: other.id)
                _ = try await comment("one", at: 61_001, by: thread.bob)
                _ = try await comment("one", at: 120_999)
                // Not to a reply, to a comment of another article, or to none.
                for parent in [reply.id, ArticleComment.ID.make()] {
                    try await rejected("x\(parent)", at: 3_660_998, to: parent)
                }
                try await rejected("y", at: 3_660_998, to: one.id, on: other.id)
                _ = try await thread.set(one.id, .hidden)
                try await rejected("z", at: 3_661_000, to: one.id)
                let found = situations.withLock { $0 }
                #expect(
                    found.map(\.isRepetition)
                        == [false, false, true, false, false, false, false, false, false, false])
                #expect(
                    found.map(\.isParentUnusable)
                        == [false, false, false, false, false, false, true, true, true, true])
                #expect(found.map(\.recent.count) == [0, 1, 2, 2, 0, 3, 2, 2, 2, 1])
                #expect(found[2].recent == [.start + 2_000, .start + 1_000])
                #expect(found.allSatisfy { $0.policy == nil })
            }
        }

        /// Its writer may have sent it later to another node, which committed it first.
        @Test(arguments: Engine.all)
        func `what was written within a minute after a comment counts, too`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                let situations = Lock<[CommentContext]>([])
                for milliseconds: Int64 in [120_001, 60_002, 60_001, 1, 0] {
                    var content = CommentContent(
                        article: thread.article, body: "one", writer: thread.ada.id)
                    let id = ArticleComment.ID.make()
                    let context = try await store.commentContext(
                        of: content, as: id, at: Edit.later(milliseconds).time)
                    situations.withLock { $0.append(context) }
                    if context.isRepetition { content.body = "another: \(id)" }
                    _ = try await store.createComment(
                        id, content, under: .giving(.visible), by: .later(milliseconds))
                }
                let found = situations.withLock { $0 }
                #expect(found.map(\.recent.count) == [0, 1, 2, 1, 1])
                #expect(found.map(\.isRepetition) == [false, true, true, false, true])
            }
        }

        @Test(arguments: Engine.all)
        func `an article's own policy is kept with its revisions`(_ engine: Engine) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                for policy in [CommentPolicy.closed, .moderated, .open, nil] {
                    let article = try await store.updateArticle(
                        thread.article, expecting: .anything, by: .later(1)
                    ) { article in .of(article) { $0.draft.comments = policy } }
                    #expect(article.comments == policy)
                    let found = try await store.article(
                        .id(thread.article), visibleTo: .everyone)
                    #expect(found.comments == policy)
                }
                let third = try await store.revision(3, of: thread.article)
                #expect(third.comments == .moderated)
                let error = try await failure {
                    let content = CommentContent(
                        article: thread.article, body: "x", writer: thread.ada.id)
                    var closed = CommentRules()
                    closed.policy = .closed
                    _ = try await store.createComment(
                        .make(), content, under: closed, by: .later(1))
                }
                guard case .commentsClosed = error else { throw error }
                #expect(try await thread.list(CommentThread.editor) == [])
            }
        }

        @Test(arguments: Engine.all)
        func `an update may expect a version, and makes no change if nothing differs`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                let comment = try await thread.comment("one", by: thread.ada)
                let own = thread.viewer(thread.ada)
                let seen = Precondition.versions([comment.version ?? ""])
                let same = try await store.updateComment(
                    comment.id, ArticleComment.Changes(body: .set("one")), html: nil,
                    under: CommentRules(), expecting: seen, as: own, by: .later(5))
                #expect(same == comment)
                let edition = try await store.edition(of: comment.id, expecting: seen, as: own)
                #expect(edition.isOwn && edition.comment == comment)
                let changed = try await store.updateComment(
                    comment.id, ArticleComment.Changes(body: .set("two")), html: nil,
                    under: CommentRules(), expecting: seen, as: own, by: .later(6))
                #expect(changed.body == "two" && changed.updatedAt == .start + 6)
                #expect(changed.revision == 2 && changed.createdAt == comment.createdAt)
                let operations: [() async throws -> Void] = [
                    {
                        _ = try await store.updateComment(
                            comment.id, ArticleComment.Changes(), html: nil, under: CommentRules(),
                            expecting: seen, as: own, by: .later(7))
                    },
                    {
                        try await store.deleteComment(
                            comment.id, expecting: seen, as: own, by: .later(7))
                    },
                ]
                for operation in operations {
                    let error = try await failure(of: operation)
                    guard case .preconditionFailed(current: 2) = error else { throw error }
                }
                let taken = try await failure {
                    _ = try await thread.comment("x", by: thread.bob, id: comment.id)
                }
                guard case .idTaken = taken else { throw taken }
            }
        }
    }
}
