import ArticleAPI
import ArticleSearch
package import ArticleStore
import BroadsheetPlatform

/// The parts of a store that the index of the search needs.
package typealias SearchIndexStore = ArticleListings & ChangeRepository & SearchRepository

/// The index of the search while one task follows the changes with it.
///
/// Changes that were not stored yet are read again after a crash or a failure, and changes may come
/// more than once: so this is dropped, and loaded again, when anything fails.
struct IndexUpdater {
    let store: any SearchIndexStore
    let pool: BackgroundPool
    let version: Int
    let limits: IndexLimits
    let system: SystemEnvironment
    var view: SearchView
    /// The position of the view; `nil` before the first changes.
    private(set) var position: ChangePosition?
    /// True if searches may find something else than in the view that was published last.
    var hasChanged = false
    /// Authors who may have been renamed, whose articles are read again.
    private var renames: [Rename] = []
    var segments: IndexSegments
    /// The purge to perform; `nil` if there is none.
    package var purge: IndexPurge?

    private struct Rename {
        let author: Author.ID
        /// The position before the next page of their articles.
        var place: ArticlePosition?
        /// The position of the view before the change.
        let position: ChangePosition
    }

    /// Loads the stored index.
    ///
    /// - Parameters:
    ///   - store: has the index and the articles.
    ///   - pool: does the computations.
    ///   - version: that of the tokenizer.
    ///   - limits: of steps and of the memory.
    init(
        loading store: any SearchIndexStore, on pool: BackgroundPool, version: Int,
        _ limits: IndexLimits, _ system: SystemEnvironment
    ) async throws(IndexError) {
        self.store = store
        self.pool = pool
        self.version = version
        self.limits = limits
        self.system = system
        let record = try await IndexError.catching { () throws(StoreError) in
            try await store.searchIndex()
        }
        if let progress = record.progress, progress.version != version {
            throw .unusable(
                "it was made by version \(progress.version) of the tokenizer, not \(version)")
        }
        segments = IndexSegments(record)
        position = segments.position
        var loaded: [Segment] = []
        for segment in record.segments {
            loaded.append(try await Self.segment(segment, in: store, on: pool, limits))
        }
        view = SearchView(segments: loaded)
    }

    private static func segment(
        _ record: SearchSegmentRecord, in store: any SearchIndexStore, on pool: BackgroundPool,
        _ limits: IndexLimits
    ) async throws(IndexError) -> Segment {
        var documents: [[UInt8]] = []
        while true {
            let next = SearchBlock.firstDocuments + documents.count
            let blocks = try await IndexError.catching { () throws(StoreError) in
                try await store.searchBlocks(
                    of: record.number, from: next, limitBytes: limits.sliceBytes)
            }
            if blocks.isEmpty { break }
            documents += blocks.map(\.data)
        }
        let all = documents
        let keys = try await IndexError.catching { () throws(StoreError) in
            try await store.searchKeys(of: record.number)
        }
        return try await pool.compute { () throws(SearchIndexError) in
            try Segment(
                number: record.number, level: record.level,
                directory: KeyDirectory(keys.map { ($0.first, $0.block) }), documents: all,
                dead: record.dead)
        }
    }

    /// True if another index is stored than the one that was loaded.
    var isOutdated: Bool {
        get async throws(IndexError) {
            let record = try await IndexError.catching { [store] () throws(StoreError) in
                try await store.searchIndex()
            }
            return segments.position != record.progress?.position
                || Set(segments.bytes.keys) != Set(record.segments.map(\.number))
        }
    }

    /// The part of the changes that is in the index, from 0 to 1.
    package var progress: Double {
        guard let position, position.base > 0 else { return 0 }
        return Double(position.sequence) / Double(position.base)
    }

    // MARK: Changes

    /// Indexes the next page of changes.
    ///
    /// - Returns: true if nothing followed it.
    mutating func follow() async throws(IndexError) -> Bool {
        var query = ChangeQuery(audience: .everyone)
        query.position = position
        query.limit = limits.pageChanges
        query.withBodies = true
        let slice = try await IndexError.catching { [store, query] () throws(StoreError) in
            try await store.changes(query)
        }
        let articles = slice.items.compactMap { item -> Article? in
            if case .putArticle(let article, _) = item.change { article } else { nil }
        }
        var documents = try await analyzed(articles)[...]
        // All articles of a snapshot were read when its base was visible, with the names of then.
        let base = position?.base ?? slice.position.base
        for (sequence, change) in slice.items {
            switch change {
            case .putArticle(let article, _): put(documents.popFirst() ?? nil, article.id)
            case .deleteArticle(let id, _): put(nil, id)
            case .putAuthor(let author):
                if let position, sequence > base {
                    renames.append(Rename(author: author.id, position: position))
                }
            case .deleteAuthor, .putComment, .deleteComment, .putBookmark, .deleteBookmark,
                .unknown:
                break
            }
        }
        segments.unstored += slice.items.count
        position = slice.position
        return slice.isLast
    }

    /// Indexes a page of the articles of an author who may have been renamed.
    ///
    /// - Returns: true if there is no other.
    mutating func followNames() async throws(IndexError) -> Bool {
        guard var rename = renames.first else { return true }
        var query = ArticleQuery(audience: .everyone)
        query.filter.author = rename.author
        query.after = rename.place
        query.limit = limits.pageChanges
        query.withBodies = true
        let slice = try await IndexError.catching { [store, query] () throws(StoreError) in
            try await store.articles(query)
        }
        for (document, article) in zip(try await analyzed(slice.items), slice.items) {
            put(document, article.id)
        }
        rename.place = slice.next
        if slice.next == nil { renames.removeFirst() } else { renames[0] = rename }
        return renames.isEmpty
    }

    /// The position at which to go on after a crash, if everything is stored: names are not done
    /// yet.
    var durablePosition: ChangePosition? { renames.first?.position ?? position }

    /// The documents of articles; `nil` for one that cannot be found.
    private func analyzed(
        _ articles: [Article]
    ) async throws(IndexError) -> [AnalyzedDocument?] {
        guard !articles.isEmpty else { return [] }
        return try await pool.compute { () throws(SearchIndexError) in
            articles.map { SearchDocument($0).map { AnalyzedDocument(SearchText($0)) } }
        }
    }

    private mutating func put(_ document: AnalyzedDocument?, _ id: Article.ID) {
        guard let document else {
            if view.remove(id) { hasChanged = true }
            return
        }
        // The same may come again, and a profile that changed may not have another name.
        if let present = view.document(id), present.revision == document.revision,
            present == SegmentDocument(document)
        {
            return
        }
        view.insert(document)
        hasChanged = true
    }
}
