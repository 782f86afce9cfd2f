import ArticleAPI
import ArticleSearch

/// The articles of a store in an index in memory. Nothing is indexed before the first search, which
/// begins with the index in the file; after it, the store reports the articles that may have
/// changed, and the next search looks at these.
struct SearchIndex {
    /// The indexed part of an article.
    private struct Entry {
        /// The hash of the document, which is the same for the same text; `nil` if it comes from
        /// the file.
        let hash: Int?
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
    /// The numbers that segments have in the file, by their numbers here.
    private var stored: [Int64: Int64] = [:]
    /// The segments that the file has, or could not take.
    private var tried: Set<Int64> = []
    /// True if the file may have another index.
    private(set) var needsStoredIndex = true

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

    /// Any article may have changed, and another process may have replaced the index in the file.
    mutating func everythingChanged() {
        (needsAll, needsStoredIndex, waiting, renamed) = (true, true, [], [])
        (stored, tried) = ([:], [])
    }

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
        index { (memory) throws(SearchIndexError) in
            try memory.add(AnalyzedDocument(SearchText(document)))
        }
        if entries.count > Self.limitArticles || bytes > limitBytes { removeOldest() }
    }

    private mutating func remove(_ id: Article.ID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        bytes -= entry.bytes
        index { (memory) throws(SearchIndexError) in try memory.remove(id) }
    }

    private mutating func index(_ change: (inout MemoryIndex) throws(SearchIndexError) -> Void) {
        do { try change(&memory) } catch { discard() }
    }

    /// Starts with an empty index, as segments from the file are damaged.
    private mutating func discard() {
        (memory, entries, bytes) = (MemoryIndex(), [:], 0)
        everythingChanged()
        needsStoredIndex = false
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

    // MARK: The index in the file

    /// Continues with the index in the file, if it has one: that knows what has changed since.
    ///
    /// - Parameters:
    ///   - segments: the segments in the file, the oldest first.
    ///   - changed: articles that may have changed since they were stored.
    mutating func begin(
        with segments: [StoredSearchIndex.StoredSegment], changed: [Article.ID]
    ) {
        needsStoredIndex = false
        guard !segments.isEmpty else { return }
        (entries, bytes, cutOff) = ([:], 0, nil)
        memory = MemoryIndex(segments.map { ($0.segment, $0.keys) })
        for stored in segments {
            let segment = stored.segment
            let bytes = stored.textBytes / max(segment.liveCount, 1)
            for ordinal in 0..<segment.count where !segment.isDead(ordinal) {
                let document = segment.document(at: ordinal)
                let age = Age(
                    published: Timestamp(milliseconds: document.published), id: document.id)
                entries[document.id] = Entry(hash: nil, age: age, bytes: bytes)
                self.bytes += bytes
            }
            self.stored[segment.number] = segment.number
            tried.insert(segment.number)
        }
        (needsAll, waiting, renamed) = (false, Set(changed), [])
    }

    /// The next segment to add to the file; `nil` if it has all.
    var unstored: (segment: Segment, blocks: [SearchBlock], textBytes: Int)? {
        guard let segment = memory.segments.first(where: { stored[$0.number] == nil }) else {
            return nil
        }
        let bytes = (0..<segment.count).reduce(0) { bytes, ordinal in
            bytes + (entries[segment.document(at: ordinal).id]?.bytes ?? 0)
        }
        return (segment, memory.blocks(of: segment), bytes)
    }

    /// True if there are segments that the file should have. Few documents are in none.
    var needsStoring: Bool {
        isCurrent && memory.segments.contains { !tried.contains($0.number) }
    }

    /// The segment has this number in the file.
    mutating func noteStored(_ segment: Segment, as number: Int64) {
        stored[segment.number] = number
    }

    /// All segments with their numbers in the file, and the documents that are in none.
    var content: (segments: [(number: Int64, segment: Segment)], unsealed: [Article.ID]) {
        let segments = memory.segments.compactMap { segment in
            stored[segment.number].map { (number: $0, segment: segment) }
        }
        return (segments, memory.unsealed)
    }

    /// The file has all of it, or could not take it.
    mutating func endStoring() {
        tried = Set(memory.segments.map(\.number))
        stored = stored.filter { tried.contains($0.key) }
    }

    // MARK: Searching

    /// The best articles behind a position; `nil` if the index was damaged and
    /// is empty now.
    mutating func hits(
        _ plan: SearchPlan, after position: SearchPosition?, limit: Int
    ) -> SearchHits? {
        do {
            return try memory.hits(plan, after: position, limit: limit)
        } catch {
            discard()
            return nil
        }
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
