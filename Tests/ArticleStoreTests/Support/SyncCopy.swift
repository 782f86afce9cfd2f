import ArticleAPI
import ArticleStore
import Testing

/// A client's copy of what an audience sees, which follows the store by changes.
struct SyncCopy {
    var query: ChangeQuery
    private(set) var contents = Contents()
    /// The articles that were deleted from the copy or that the store asked to delete.
    private(set) var deleted: Set<Article.ID> = []

    /// Articles and authors by id.
    struct Contents: Equatable {
        var articles: [Article.ID: Article] = [:]
        var authors: [Author.ID: Author] = [:]

        /// Ids and revisions.
        fileprivate var outline: [String] {
            articles.values.map { "\($0.id) \($0.revision) \($0.status)" }.sorted()
                + authors.values.map { "\($0.id) \($0.revision) \($0.name)" }.sorted()
        }
    }

    init(_ query: ChangeQuery) { self.query = query }

    init(for audience: Audience, _ change: (inout ChangeQuery) -> Void = { _ in }) {
        query = ChangeQuery(audience: audience)
        change(&query)
    }

    var position: ChangePosition? { query.position }

    /// Requests one page and applies it.
    mutating func follow(
        _ store: any ArticleStore, limit: Int = 100, _ comment: Testing.Comment? = nil
    ) async throws -> ChangeSlice {
        query.limit = limit
        let slice = try await store.changes(query)
        #expect(slice.items.count <= limit, comment)
        var sequence = query.position?.sequence ?? 0
        for (number, change) in slice.items {
            #expect(number > sequence && number <= slice.position.sequence, comment)
            sequence = number
            apply(change, comment)
        }
        #expect(slice.position.sequence >= sequence, comment)
        query.position = slice.position
        return slice
    }

    /// Requests pages up to the last one; returns what they say in short.
    @discardableResult
    mutating func catchUp(
        with store: any ArticleStore, limit: Int = 100, _ comment: Testing.Comment? = nil
    ) async throws -> [Step] {
        var steps: [Step] = []
        while true {
            let slice = try await follow(store, limit: limit, comment)
            steps += slice.items.map { Step($0.change) }
            if slice.isLast { return steps }
        }
    }

    private mutating func apply(_ change: SyncChange<Article>, _ comment: Testing.Comment?) {
        switch change {
        case .putArticle(let article, let revision):
            #expect(article.revision == revision && article.version != nil, comment)
            #expect((article.body != nil) == query.withBodies, comment)
            contents.articles[article.id] = article
        case .deleteArticle(let id, _):
            deleted.insert(id)
            contents.articles[id] = nil
        case .putAuthor(let author):
            #expect(author.version != nil, comment)
            contents.authors[author.id] = author
        case .deleteAuthor(let id, _): contents.authors[id] = nil
        case .putComment, .deleteComment, .putBookmark, .deleteBookmark, .unknown:
            Issue.record(comment ?? "an unexpected change")
        }
    }

    /// The copy with the current names of its authors, as a client presents it.
    var presented: Contents {
        var presented = contents
        for (id, article) in contents.articles {
            presented.articles[id]?.authors = article.authors.map { reference in
                let author = contents.authors[reference.id]
                return Author.Reference(
                    id: reference.id, name: author?.name ?? "", revision: author?.revision)
            }
        }
        return presented
    }

    /// Returns the content of the store's lists for this query. Without authors, articles are
    /// without names.
    func listed(by store: any ArticleStore) async throws -> Contents {
        var listed = Contents()
        let hasAuthors = query.kinds.contains(.author)
        for article in query.kinds.contains(.article) ? try await articles(in: store) : [] {
            listed.articles[article.id] = article
            guard !hasAuthors else { continue }
            listed.articles[article.id]?.authors = article.authors.map {
                Author.Reference(id: $0.id, name: "")
            }
        }
        var last: Author.ID?
        while hasAuthors {
            let slice = try await store.authors(
                after: last, limit: 100, visibleTo: query.audience)
            for author in slice.items { listed.authors[author.id] = author }
            guard let next = slice.next else { break }
            last = next
        }
        return listed
    }

    /// The articles that the list with the same filter shows.
    func articles(in store: any ArticleStore) async throws -> [Article] {
        var list = ArticleQuery(audience: query.audience)
        list.filter = query.filter
        list.withBodies = query.withBodies
        list.limit = 100
        var articles: [Article] = []
        repeat {
            let slice = try await store.articles(list)
            articles += slice.items
            list.after = slice.next
        } while list.after != nil
        return articles
    }

    /// Expects that the copy is what the lists show.
    func expectCurrent(
        in store: any ArticleStore, _ comment: Testing.Comment? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let listed = try await listed(by: store)
        guard presented != listed else { return }
        Issue.record(
            "\(query): \(presented.outline) instead of \(listed.outline); \(comment ?? "")",
            sourceLocation: location)
    }

    /// A change in short.
    enum Step: Hashable {
        case put(Article.ID, Int)
        case delete(Article.ID, Int)
        case putAuthor(Author.ID, Int)
        case deleteAuthor(Author.ID, Int)
        case other

        init(_ change: SyncChange<Article>) {
            self =
                switch change {
                case .putArticle(let article, let revision): .put(article.id, revision)
                case .deleteArticle(let id, let revision): .delete(id, revision)
                case .putAuthor(let author): .putAuthor(author.id, author.revision)
                case .deleteAuthor(let id, let revision): .deleteAuthor(id, revision)
                case .putComment, .deleteComment, .putBookmark, .deleteBookmark, .unknown: .other
                }
        }
    }
}
