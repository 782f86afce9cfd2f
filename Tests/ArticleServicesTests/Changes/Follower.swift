import ArticleAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

/// A client's copy of what a sender may see, kept current by changes.
struct Follower {
    let sender: Sender
    /// Filters and page size: `tag=bread&limit=3`.
    let query: String
    private(set) var articles: [Article.ID: Article] = [:]
    private(set) var authors: [Author.ID: Author] = [:]
    /// Each deletion so far: id and revision.
    private(set) var deletions: [String] = []
    private(set) var token: String?

    init(_ sender: Sender, _ query: String) {
        self.sender = sender
        self.query = query
    }

    /// Requests one page.
    ///
    /// - Returns: The response, and whether more follows.
    mutating func step(
        in server: TestBackend, limit: Int? = nil
    ) throws -> (response: BackendResponse, more: Bool) {
        let since = token.map { "since=\($0)" }
        let size = limit.map { "limit=\($0)" }
        let target = [query, since ?? "", size ?? ""].filter { !$0.isEmpty }.joined(separator: "&")
        let response = try server.send("GET /v1/changes?\(target)", as: sender)
        try #require(response.summary == "200", "\(target): \(response.text)")
        let page = try ChangePage<Article>(mapping: response.body)
        for change in page.changes { apply(change) }
        token = page.next
        return (response, page.more)
    }

    /// Requests pages until no more follow.
    ///
    /// - Returns: The number of pages.
    @discardableResult
    mutating func catchUp(
        in server: TestBackend, limit: Int? = nil, _ look: (BackendResponse) -> Void = { _ in }
    ) throws -> Int {
        var count = 0
        while true {
            let (response, more) = try step(in: server, limit: limit)
            look(response)
            count += 1
            guard more else { return count }
            try #require(count < 1_000)
        }
    }

    /// Applies an event of a stream.
    mutating func receive(_ event: EventStreamClient.Event) throws {
        token = event.id
        guard event.type == "change" else { return }
        apply(try SyncChange<Article>(mapping: Array(event.data.utf8)))
    }

    private mutating func apply(_ change: SyncChange<Article>) {
        switch change {
        case .putArticle(let article, let revision):
            #expect(article.revision == revision)
            articles[article.id] = article
        case .deleteArticle(let id, let revision):
            articles[id] = nil
            deletions.append("\(id) \(revision)")
        case .putAuthor(let author): authors[author.id] = author
        case .deleteAuthor(let id, let revision):
            authors[id] = nil
            deletions.append("\(id) \(revision)")
        case .putComment, .deleteComment, .putBookmark, .deleteBookmark, .unknown:
            Issue.record("an unexpected change: \(change)")
        }
    }

    /// Checks that the copy is what the lists show.
    func expectCurrent(in server: TestBackend) throws {
        let name = "\(sender) \(query)"
        if query.hasPrefix("types=") {
            #expect(articles.isEmpty, "\(name)")
        } else {
            let filter = query.isEmpty ? "" : "&\(query)"
            let listed: Page<Article> = try server.list(
                "articles?limit=100\(filter)", as: sender)
            let expected = Dictionary(uniqueKeysWithValues: listed.items.map { ($0.id, $0) })
            #expect(articles.keys.sorted() == expected.keys.sorted(), "\(name)")
            for (id, article) in articles {
                #expect(article.withoutNames == expected[id]?.withoutNames, "\(name)")
            }
        }
        let listed: Page<Author> = try server.list("authors?limit=100", as: sender)
        let expected = Dictionary(uniqueKeysWithValues: listed.items.map { ($0.id, $0) })
        #expect(authors == expected, "\(name)")
    }
}

extension TestBackend {
    fileprivate func list<Item>(
        _ target: String, as sender: Sender
    ) throws -> Page<Item> where Item: JSONRepresentable {
        let response = try send("GET /v1/\(target)", as: sender)
        try #require(response.summary == "200", "\(response.text)")
        return try Page<Item>(mapping: response.body)
    }
}

extension Article {
    /// A copy takes names of authors from the authors: a renaming does not change their articles.
    fileprivate var withoutNames: Article {
        var article = self
        article.authors = authors.map { Author.Reference(id: $0.id, name: "") }
        return article
    }
}

extension BackendResponse {
    /// The token of a page of changes.
    var token: String {
        let parts = text.split(separator: #""next":""#)
        return parts.count == 2 ? String(parts[1].prefix { $0 != "\"" }) : "none"
    }
}
