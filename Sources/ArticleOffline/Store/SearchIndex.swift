import ArticleAPI
import ArticleSearch

/// The articles of a store in an index in memory. Nothing is indexed before the first search; after
/// it, the store reports the articles that may have changed, and the next search looks at these.
struct SearchIndex {
    /// The indexed part of an article.
    private struct Entry {
        /// The hash of the document, which is the same for the same text.
        let hash: Int
        let age: Age
        let bytes: Int
    }

    /// Articles are ordered by their times, and then by their ids.
    private struct Age: Comparable {
        let published: Timestamp
        let id: Article.ID

        static func < (one: Age, other: Age) -> Bool {
            (one.published, one.id) < (other.published, other.id)
        }
    }

    /// Of more articles, the newest are searched.
    static let limitArticles = 20_000

    private let limitBytes: Int
    private var memory = MemoryIndex()
    private var entries: [Article.ID: Entry] = [:]
    private var bytes = 0
    /// The newest article that did not fit; older ones do not fit either.
    private var cutOff: Age?
    /// True if any article may have changed.
    private(set) var needsAll = true
    /// Articles that may have changed.
    private var waiting: Set<Article.ID> = []
    /// Authors whose articles have other names in their by-lines.
    private(set) var renamed: Set<Author.ID> = []

    /// - Parameter limitBytes: of all texts.
    init(limitBytes: Int) { self.limitBytes = limitBytes }

    // MARK: Possible changes

    var isCurrent: Bool { !needsAll && waiting.isEmpty && renamed.isEmpty }

    mutating func articleChanged(_ id: Article.ID) {
        guard !needsAll else { return }
        waiting.insert(id)
        if waiting.count > Self.limitArticles { everythingChanged() }
    }

    mutating func authorRenamed(_ id: Author.ID) {
        guard !needsAll else { return }
        renamed.insert(id)
        if renamed.count > Self.limitArticles { everythingChanged() }
    }

    mutating func everythingChanged() { (needsAll, waiting, renamed) = (true, [], []) }

    /// These are all articles that can be found, and any of them may have changed.
    mutating func expect(all ids: some Sequence<Article.ID>) {
        (needsAll, waiting, cutOff) = (false, Set(entries.keys).union(ids), nil)
    }

    /// These are the articles by the authors who were renamed.
    mutating func expect(byRenamed ids: some Sequence<Article.ID>) {
        waiting.formUnion(ids)
        renamed = []
    }

    /// Some of the articles that may have changed.
    func next(_ count: Int) -> [Article.ID] { Array(waiting.prefix(count)) }

    // MARK: Indexing

    /// - Parameters:
    ///   - article: as it is shown; `nil` if it cannot be found.
    ///   - id: of the article.
    mutating func put(_ article: Article?, _ id: Article.ID) {
        waiting.remove(id)
        guard let article else { return remove(id) }
        let document = SearchDocument(shown: article)
        let age = Age(published: document.publishedAt, id: id)
        if let cutOff, age <= cutOff { return remove(id) }
        let entry = Entry(hash: document.hashValue, age: age, bytes: article.textBytes)
        guard entries[id]?.hash != entry.hash else { return }
        bytes += entry.bytes - (entries.updateValue(entry, forKey: id)?.bytes ?? 0)
        try? memory.add(AnalyzedDocument(SearchText(document)))
        if entries.count > Self.limitArticles || bytes > limitBytes { removeOldest() }
    }

    private mutating func remove(_ id: Article.ID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        bytes -= entry.bytes
        _ = try? memory.remove(id)
    }

    /// Makes room for a tenth, so that not each new article has to look for the oldest one.
    private mutating func removeOldest() {
        for (id, entry) in entries.sorted(by: { $0.value.age < $1.value.age }) {
            guard entries.count > Self.limitArticles / 10 * 9 || bytes > limitBytes / 10 * 9 else {
                return
            }
            remove(id)
            cutOff = entry.age
        }
    }

    // MARK: Searching

    // Data in memory cannot be damaged: these functions do not fail.

    /// The best articles behind a position; `nil` if there are none.
    func hits(
        _ plan: SearchPlan, after position: SearchPosition?, limit: Int
    ) -> SearchHits? {
        try? memory.hits(plan, after: position, limit: limit)
    }

    /// The query with the nearest words that occur; `nil` if there are none.
    func correction(of query: SearchQuery) -> SearchQuery? { try? memory.correction(of: query) }
}

extension SearchDocument {
    /// An article of which the body may be unknown, and which may be unpublished.
    init(shown article: Article) {
        self.init(
            id: article.id, revision: article.revision,
            publishedAt: article.publishedAt ?? article.createdAt, title: article.title,
            summary: article.summary, body: article.body ?? "", tags: article.tags,
            authors: article.authors.map { Author(id: $0.id, name: $0.name) },
            language: article.language, source: article.source?.name)
    }
}
