import ArticleAPI
import ArticleStore
import BroadsheetTestSupport

/// Random comments and bookmarks of a few users on a few articles, and what editors make of them.
struct RandomReaders {
    private var generator: SplitMix64
    private(set) var users: [UserRecord] = []
    private(set) var articles: [Article.ID] = []
    private var comments: [(id: ArticleComment.ID, writer: User.ID)] = []
    private var writes: Int64 = 0

    init(seed: UInt64, articles count: Int = 2, in store: any ArticleStore) async throws {
        generator = SplitMix64(seed: seed)
        for number in 0..<count {
            let made = try await store.createArticle(
                .make(), .sample("A\(number)", slug: .exactly("a\(number)")), by: .first)
            articles.append(made.id)
        }
        for _ in 0..<3 { try await addUser(to: store) }
    }

    mutating func isTrue(in number: Int) -> Bool { below(number) == 0 }

    mutating func below(_ number: Int) -> Int { Int.random(in: 0..<number, using: &generator) }

    mutating func any<Item>(_ items: [Item]) -> Item { items[below(items.count)] }

    private mutating func addUser(to store: any ArticleStore) async throws {
        writes += 1
        let user = UserRecord.sample("user\(writes)")
        if isTrue(in: 2) {
            try await store.createUser(user, using: nil, at: .start)
        } else {
            try await store.createUser(
                user, using: nil, identity: .sample("subject \(writes)"), at: .start)
        }
        users.append(user)
    }

    /// Carries out one write, which may be rejected or change nothing.
    mutating func write(to store: any ArticleStore) async throws {
        writes += 1
        let edit = Edit.later(writes)
        do {
            switch below(16) {
            case 0...4: try await comment(in: store, edit)
            case 5...9 where !comments.isEmpty: try await change(any(comments), in: store, edit)
            case 10, 11: try await bookmark(in: store, edit)
            case 12: try await hideOrShow(any(articles), in: store, edit)
            case 13: try await rename(any(users), in: store, edit)
            case 14 where users.count > 1: try await deleteUser(in: store)
            case 15 where users.count < 4: try await addUser(to: store)
            default: try await comment(in: store, edit)
            }
        } catch StoreError.notFound {} catch StoreError.invalid {}
    }

    private mutating func comment(in store: any ArticleStore, _ edit: Edit) async throws {
        let id = ArticleComment.ID.make()
        let parent = isTrue(in: 2) && !comments.isEmpty ? any(comments).id : nil
        let content = CommentContent(
            article: any(articles), parent: parent, body: "Comment \(writes)",
            writer: any(users).id)
        let status: ArticleComment.Status = isTrue(in: 3) ? .pending : .visible
        _ = try await store.createComment(id, content, under: .giving(status), by: edit)
        comments.append((id, content.writer))
    }

    private mutating func change(
        _ comment: (id: ArticleComment.ID, writer: User.ID), in store: any ArticleStore,
        _ edit: Edit
    ) async throws {
        let editor = CommentViewer(audience: .editors)
        guard !isTrue(in: 4) else {
            return try await store.deleteComment(
                comment.id, expecting: .anything, as: editor, by: edit)
        }
        let isPending = isTrue(in: 4)
        guard isPending || isTrue(in: 3) else {
            _ = try await store.updateComment(
                comment.id, ArticleComment.Changes(status: .set(any([.visible, .hidden]))),
                html: nil,
                under: CommentRules(), expecting: .anything, as: editor, by: edit)
            return
        }
        // In a moderated thread, a writer's edit has to be approved.
        let writer = CommentViewer(audience: .everyone, user: comment.writer)
        _ = try await store.updateComment(
            comment.id, ArticleComment.Changes(body: .set("Comment \(writes)")), html: nil,
            under: .giving(isPending ? .pending : .visible), expecting: .anything, as: writer,
            by: edit)
    }

    private mutating func bookmark(in store: any ArticleStore, _ edit: Edit) async throws {
        let (article, user) = (any(articles), any(users).id)
        guard !isTrue(in: 4) else {
            return try await store.deleteBookmark(of: article, for: user)
        }
        let position: Double? = isTrue(in: 3) ? nil : Double(below(1_000)) / 999
        _ = try await store.putBookmark(
            of: article, for: user, position: position, seeing: .everyone, at: edit.time)
    }

    private mutating func hideOrShow(
        _ id: Article.ID, in store: any ArticleStore, _ edit: Edit
    ) async throws {
        let isDeletion = isTrue(in: 4)
        guard let article = try? await store.article(.id(id), visibleTo: .editors) else {
            _ = try await store.restoreArticle(id, to: 1, expecting: .anything, by: edit)
            return
        }
        if isDeletion {
            return try await store.deleteArticle(id, expecting: .anything, by: edit)
        }
        let status: Article.Status = article.status == .published ? .archived : .published
        _ = try await store.updateArticle(id, expecting: .anything, by: edit) { article in
            .of(article) { $0.draft.status = status }
        }
    }

    private mutating func rename(
        _ user: UserRecord, in store: any ArticleStore, _ edit: Edit
    ) async throws {
        let change = UserChange(displayName: "Name \(writes)", isDisabled: isTrue(in: 3))
        _ = try await store.updateUser(user.id, expecting: nil, change, at: edit.time)
    }

    private mutating func deleteUser(in store: any ArticleStore) async throws {
        let user = users.remove(at: below(users.count))
        try await store.deleteUser(
            user.id, expecting: nil, comments: isTrue(in: 2) ? .keep : .delete,
            at: .start + writes)
    }
}
