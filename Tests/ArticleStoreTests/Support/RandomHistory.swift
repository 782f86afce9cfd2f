import ArticleAPI
import ArticleAdminAPI
import ArticleStore
import BroadsheetTestSupport
import Testing

/// Random writes to a few articles, authors and users of a store.
struct RandomHistory {
    /// Users with the role `author`, who may own articles.
    private(set) var users: [UserRecord] = []
    private var generator: SplitMix64
    private var articles: [Article.ID] = []
    private var authors: [Author.ID] = []
    private var writes: Int64 = 0

    private static let tags = ["Food", "Travel", "Music"]
    private static let languages = ["en", "de"]
    private static let sources = [nil, "wire", "desk"]
    private static let statuses: [Article.Status] = [.draft, .published, .published, .archived]
    private static let times: [Timestamp?] = [nil, .start + -3_000, .start + -2_000]

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    /// Goes on with other random numbers.
    mutating func reseed(_ seed: UInt64) { generator = SplitMix64(seed: seed) }

    mutating func isTrue(in number: Int) -> Bool { below(number) == 0 }

    mutating func below(_ number: Int) -> Int { Int.random(in: 0..<number, using: &generator) }

    private mutating func any<Item>(_ items: [Item]) -> Item { items[below(items.count)] }

    /// Carries out one write, which may be rejected or change nothing.
    mutating func write(to store: any ArticleStore) async throws {
        writes += 1
        let edit = Edit.later(writes)
        do throws(StoreError) {
            switch below(15) {
            case 12: try await changeUsers(in: store, edit)
            case 13 where !users.isEmpty, 14 where !users.isEmpty:
                // Some mention authors that these users do not see.
                do throws(StoreError) {
                    try await writeAsAuthor(any(users), to: store)
                } catch .unknownAuthor {}
            case 0 where authors.count < 4: try await putAuthor(.make(), in: store, edit)
            case 1 where !authors.isEmpty: try await putAuthor(any(authors), in: store, edit)
            case 2 where articles.count < 4, 3 where articles.count < 4:
                try await create(in: store, edit)
            case 4 where !articles.isEmpty:
                try await store.deleteArticle(any(articles), expecting: .anything, by: edit)
            case 5 where !articles.isEmpty:
                let id = any(articles)
                let history = try await store.revisions(of: id, below: nil, limit: 5)
                _ = try await store.restoreArticle(
                    id, to: any(history.items).number, expecting: .anything, by: edit)
            case _ where articles.isEmpty: try await create(in: store, edit)
            default: try await update(any(articles), in: store, edit)
            }
        } catch .notFound {}
    }

    private mutating func putAuthor(
        _ id: Author.ID, in store: any ArticleStore, _ edit: Edit
    ) async throws(StoreError) {
        let name = "Author \(below(1_000))"
        _ = try await store.putAuthor(
            id, Author.Replacement(name: name), expecting: .anything, by: edit)
        if !authors.contains(id) { authors.append(id) }
    }

    private mutating func create(
        in store: any ArticleStore, _ edit: Edit
    ) async throws(StoreError) {
        let id = Article.ID.make()
        var content = ArticleContent.sample("n\(writes)", slug: .keep)
        for attribute in 0..<8 { change(attribute, of: &content) }
        _ = try await store.createArticle(id, content, by: edit)
        articles.append(id)
    }

    private mutating func changeUsers(
        in store: any ArticleStore, _ edit: Edit
    ) async throws(StoreError) {
        if users.count < 3 {
            let user = UserRecord.sample("u\(writes)", role: "author")
            try await store.createUser(user, using: nil, at: edit.time)
            users.append(user)
        } else if isTrue(in: 3) {
            let user = users.remove(at: below(users.count))
            try await store.deleteUser(user.id, expecting: nil, at: edit.time)
        }
    }

    /// Carries out one write by an author, and expects that it is possible only for own articles.
    private mutating func writeAsAuthor(
        _ user: UserRecord, to store: any ArticleStore
    ) async throws(StoreError) {
        let edit = Edit.author(user, writes)
        if articles.count < 6, isTrue(in: 3) {
            let id = Article.ID.make()
            var content = ArticleContent.sample("n\(writes)", slug: .keep)
            for attribute in 0..<7 { change(attribute, of: &content) }
            let made = try await store.createArticle(id, content, by: edit)
            #expect(made.owner == user.id)
            articles.append(id)
            return
        }
        guard !articles.isEmpty else { return }
        let id = any(articles)
        let history = try await store.revisions(of: id, below: nil, limit: 3).items
        let last = try await store.revision(history[0].number, of: id)
        let isDeleted = history[0].action == .deleted
        let isMine = last.owner == user.id
        do throws(StoreError) {
            switch below(3) {
            case 0: try await store.deleteArticle(id, expecting: .anything, by: edit)
            case 1:
                let number = any(history).number
                _ = try await store.restoreArticle(id, to: number, expecting: .anything, by: edit)
            default:
                var content = ArticleContent.of(last)
                let attribute = below(7)
                change(attribute, of: &content)
                let changed = content
                _ = try await store.updateArticle(id, expecting: .anything, by: edit) { _ in
                    changed
                }
            }
            #expect(isMine)
        } catch .notOwner {
            #expect(!isMine && !isDeleted && last.status == .published)
        } catch .notFound {
            #expect(isDeleted || !isMine && last.status != .published)
        }
    }

    private mutating func update(
        _ id: Article.ID, in store: any ArticleStore, _ edit: Edit
    ) async throws(StoreError) {
        var copy = self
        var changes = [below(8)]
        if isTrue(in: 3) { changes.append(below(8)) }
        let current = try await store.article(.id(id), visibleTo: .editors)
        var content = ArticleContent.of(current)
        for attribute in changes { copy.change(attribute, of: &content) }
        self = copy
        let changed = content
        _ = try await store.updateArticle(id, expecting: .anything, by: edit) { _ in changed }
    }

    private mutating func change(_ attribute: Int, of content: inout ArticleContent) {
        switch attribute {
        case 0, 1: content.draft.status = any(Self.statuses)
        case 2: content.draft.title = "Title \(below(1_000))"
        case 3:
            let tags = Self.tags.filter { _ in isTrue(in: 2) }
            content.draft.tags = tags
            content.tags = tags.map(ArticleTag.init(named:))
        case 4:
            content.draft.authors = authors.filter { _ in isTrue(in: 3) }
                .map { .id($0, name: nil) }
        case 5: content.draft.publishedAt = any(Self.times)
        case 7: content.draft.owner = any(users.map(\.id) + [nil])
        default:
            content.draft.language = any(Self.languages)
            content.draft.source = any(Self.sources).map { Article.Source(name: $0, url: nil) }
        }
    }

    /// A query of a random audience with a random filter.
    mutating func query() -> ChangeQuery {
        let owners = users.map { Audience.author($0.id) }
        var query = ChangeQuery(audience: any([.everyone, .editors] + owners))
        query.withBodies = isTrue(in: 4)
        if isTrue(in: 6) { query.kinds = [any([.article, .author])] }
        for _ in 0..<below(3) {
            switch below(6) {
            case 0: query.filter.tags = [ArticleTag(named: any(Self.tags + ["Nowhere"])).key]
            case 1: query.filter.author = authors.isEmpty ? .make() : any(authors)
            case 2: query.filter.language = any(Self.languages)
            case 3: query.filter.status = any(Self.statuses + [.scheduled])
            case 4: query.filter.source = "wire"
            default:
                query.filter.publishedAfter = any([nil, .start + -2_500, .start + -4_000])
                query.filter.publishedBefore = any([nil, .start + -2_500])
            }
        }
        return query
    }
}
