public import ArticleAPI
import BroadsheetPlatform

/// A backend's articles and authors with their changes, in memory: the changes that `GET
/// /v1/changes` promises to one caller, for tests of clients.
public final class ChangeFeed: Sendable {
    private struct Record<Value: Sendable>: Sendable {
        /// `nil` after the deletion.
        var value: Value?
        var revision: Int
        /// The numbers of the changes that created it and that changed it last.
        var created: Int
        var changed: Int
    }

    private struct State {
        var epoch = 1
        var last = 0
        var articles: [Article.ID: Record<Article>] = [:]
        var authors: [Author.ID: Record<Author>] = [:]
        var requests = 0

        mutating func next() -> Int {
            last += 1
            return last
        }
    }

    private let state = Lock(State())
    private let pageSize: Int
    private static let time = Timestamp(milliseconds: 1_767_225_600_000)

    public init(pageSize: Int = 3) { self.pageSize = pageSize }

    /// The number of pages that were requested.
    public var requests: Int { state.withLock { $0.requests } }

    /// The articles that the caller sees, by slug.
    public var articles: [String: Article] {
        let seen = state.withLock { state in
            state.articles.values.compactMap(\.value).map { Self.named($0, state) }
        }
        return Dictionary(seen.map { ($0.slug, $0) }) { first, _ in first }
    }

    private static func named(_ article: Article, _ state: State) -> Article {
        var article = article
        for index in article.authors.indices {
            guard let author = state.authors[article.authors[index].id]?.value else { continue }
            article.authors[index].name = author.name
            article.authors[index].revision = author.revision
        }
        return article
    }

    // MARK: Changes

    public func addAuthor(_ name: String) -> Author.ID {
        let id = Author.ID(at: Self.time)
        rename(id, name)
        return id
    }

    public func rename(_ id: Author.ID, _ name: String) {
        state.withLock { state in
            let number = state.next()
            let old = state.authors[id]
            let revision = (old?.revision ?? 0) + 1
            let author = Author(
                id: id, name: name, createdAt: Self.time, updatedAt: Self.time, revision: revision)
            state.authors[id] = Record(
                value: author, revision: revision, created: old?.created ?? number, changed: number)
        }
    }

    @discardableResult public func add(
        _ slug: String, title: String = "A title", body: String = "Text.",
        authors: [Author.ID] = [], tags: [String] = []
    ) -> Article.ID {
        let id = Article.ID(at: Self.time)
        let article = Article(
            id: id, slug: slug, title: title, body: body, language: "en",
            authors: authors.map { Author.Reference(id: $0, name: "") },
            tags: tags.map { ArticleTag(named: $0) }, status: .published, publishedAt: Self.time,
            createdAt: Self.time, updatedAt: Self.time, wordCount: 1, readingMinutes: 1)
        state.withLock { state in
            let number = state.next()
            state.articles[id] = Record(
                value: article, revision: 1, created: number, changed: number)
        }
        return id
    }

    public func change(_ id: Article.ID, _ edit: (inout Article) -> Void) {
        state.withLock { state in
            guard var record = state.articles[id], var article = record.value else { return }
            edit(&article)
            record.revision += 1
            article.revision = record.revision
            record.value = article
            record.changed = state.next()
            state.articles[id] = record
        }
    }

    public func delete(_ id: Article.ID) {
        state.withLock { state in
            let number = state.next()
            state.articles[id]?.value = nil
            state.articles[id]?.revision += 1
            state.articles[id]?.changed = number
        }
    }

    /// The history becomes another one, as after a restored backup: no token is accepted any more.
    public func reset() { state.withLock { $0.epoch += 1 } }

    // MARK: Requests

    /// The article with this id.
    public func article(_ request: FetchArticleRequest) throws(Problem) -> Article {
        let found = state.withLock { state -> Article? in
            guard case .id(let id) = request.key else { return nil }
            return state.articles[id]?.value.map { Self.named($0, state) }
        }
        guard let found else { throw Problem(.notFound) }
        return found
    }

    /// A page of at most `pageSize` changes. A token is `<epoch>.<number of a change>.<tags>`.
    public func page(_ request: FetchChangesRequest) throws(Problem) -> ChangePage<Article> {
        let filter = request.tags.joined(separator: "+")
        let page = state.withLock { state -> Result<ChangePage<Article>, Problem> in
            state.requests += 1
            var start = 0
            if let token = request.since {
                let parts = token.split(separator: ".", omittingEmptySubsequences: false)
                guard parts.count == 3, let number = Int(parts[1]), parts[2] == filter[...] else {
                    return .failure(Problem(.invalidToken))
                }
                guard parts[0] == "\(state.epoch)" else { return .failure(Problem(.syncReset)) }
                start = number
            }
            let all = Self.changes(since: start, request.tags, state).sorted { $0.0 < $1.0 }
            let taken = all.prefix(pageSize)
            let more = all.count > pageSize
            let end = more ? taken.last?.0 ?? start : state.last
            return .success(
                ChangePage(
                    changes: taken.map(\.1), next: "\(state.epoch).\(end).\(filter)", more: more))
        }
        return try page.get()
    }

    private static func changes(
        since start: Int, _ tags: [String], _ state: State
    ) -> [(Int, SyncChange<Article>)] {
        var changes: [(Int, SyncChange<Article>)] = []
        for (id, record) in state.articles where record.changed > start {
            if let article = record.value, tags.allSatisfy(article.tags.map(\.name).contains) {
                let named = Self.named(article, state)
                changes.append((record.changed, .putArticle(named, revision: record.revision)))
            } else if record.created <= start {
                changes.append((record.changed, .deleteArticle(id, revision: record.revision)))
            }
        }
        for record in state.authors.values where record.changed > start {
            if let author = record.value { changes.append((record.changed, .putAuthor(author))) }
        }
        return changes
    }
}
