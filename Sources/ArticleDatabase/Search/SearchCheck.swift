import ArticleAPI
import ArticleSearch
import ArticleStore

extension Snapshot {
    /// Returns the first difference between the index of the search and the articles, if there is
    /// one.
    ///
    /// Changes since the index's position are left out. An index of another history or tokenizer is
    /// not compared: it is built again when the file is served.
    func searchFindings() throws(StoreError) -> [String] {
        do throws(StoreError) {
            let index = try searchIndex()
            // A backup has no epoch.
            guard let progress = index.progress, progress.version == SearchTokenizer.version,
                progress.position.epoch == (try? epoch())
            else { return [] }
            let check = SearchCheck(state: self, sequence: progress.position.sequence)
            try check.run(index.segments)
            return []
        } catch {
            guard case .corrupt(let text) = error else { throw error }
            return [CheckReport.searchPrefix + text]
        }
    }
}

extension SQL {
    fileprivate static let publicArticles: StaticString =
        "SELECT number FROM articles WHERE state = 1 ORDER BY number"
    /// The articles of authors are listed under their facets, which have their numbers.
    fileprivate static let newerArticles: StaticString = """
        SELECT id FROM transitions JOIN articles ON number = subject
        WHERE audience = 0 AND kind = 0 AND sequence > ?1
        UNION
        SELECT listings.id FROM transitions JOIN listings ON facet = subject AND state = 1
        WHERE audience = 0 AND kind = 1 AND sequence > ?1
        """
}

/// Proves that the index of the search equals the articles: its blocks have the keys of its
/// documents, and its documents are the public articles as they are. Throws `.corrupt` with the
/// first difference.
private struct SearchCheck {
    let state: Snapshot
    /// The number of the change after which the index may or may not have a change.
    let sequence: Int64

    func run(_ segments: [SearchSegmentRecord]) throws(StoreError) {
        var loaded: [Segment] = []
        for segment in segments { loaded.append(try checked(segment)) }
        var view = SearchView(segments: loaded)
        let newer = try newerArticles()
        for id in newer { view.remove(id) }
        var check = SearchViewCheck(view)
        let row = try state.connection.statement(SQL.publicArticles)
        while try row.step() {
            let number = row.integer(0)
            try state.articlesAhead?.read(number, of: state, withBodies: true) {
                row.upcoming(Self.readArticles).map { $0.integer(0) }
            }
            let stored = try state.stored(number: number)
            let article = try state.content(of: stored, withBody: true)
            guard !newer.contains(stored.id), let document = SearchDocument(article) else {
                continue
            }
            try found { () throws(SearchIndexError) in
                try check.add(AnalyzedDocument(SearchText(document)))
            }
        }
        try found { () throws(SearchIndexError) in try check.finish() }
    }

    // MARK: Segments

    /// The segment, whose blocks are those of its documents.
    private func checked(_ record: SearchSegmentRecord) throws(StoreError) -> Segment {
        let documents = try state.searchBlocks(
            of: record.number, from: SearchBlock.firstDocuments, limitBytes: .max)
        let keys = try state.searchKeys(of: record.number)
        let segment = try found { () throws(SearchIndexError) in
            try Segment(
                number: record.number, level: record.level,
                directory: KeyDirectory(keys.map { ($0.first, $0.block) }),
                documents: documents.map(\.data), dead: record.dead)
        }
        var check = SegmentCheck(segment)
        var next = 0
        // Invariant: all blocks before `next` were added.
        while true {
            let blocks = try state.searchBlocks(
                of: record.number, from: next, limitBytes: Self.readBytes)
            guard let last = blocks.last else { break }
            next = last.number + 1
            for block in blocks {
                try found { () throws(SearchIndexError) in
                    try check.add(block.data, at: block.number)
                }
            }
        }
        try found { () throws(SearchIndexError) in try check.finish() }
        return segment
    }

    private static let readBytes = 1 << 20
    private static let readArticles = 50

    // MARK: Later changes

    /// The articles that have changed since, and those of authors who may have other names now.
    private func newerArticles() throws(StoreError) -> Set<Article.ID> {
        let row = try state.connection.statement(SQL.newerArticles)
        try row.bind(1, sequence)
        var ids: Set<Article.ID> = []
        while try row.step() { ids.insert(try row.identifier(0)) }
        return ids
    }

    private func found<Value>(
        _ work: () throws(SearchIndexError) -> Value
    ) throws(StoreError) -> Value {
        do throws(SearchIndexError) { return try work() } catch {
            switch error {
            case .corrupt(let text): throw .corrupt(text)
            }
        }
    }
}
