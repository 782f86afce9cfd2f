public import ArticleAPI
public import ArticleStore

/// The tags of articles. They are facets, like everything else under which articles are listed.
extension SQLStore {
    public func tags(
        after key: String?, limit: Int, visibleTo audience: Audience
    ) async throws(StoreError) -> Slice<ArticleTag.Usage, String> {
        try await read { (state) throws(StoreError) in
            try state.tags(after: key, limit: limit, visibleTo: audience)
        }
    }
}

extension SQL {
    fileprivate static let facet: StaticString = """
        SELECT number, live, published FROM facets WHERE kind = ?1 AND key = ?2
        """
    fileprivate static let tagsAfter: StaticString = """
        SELECT number, key, name, live, published FROM facets
        WHERE kind = 1 AND key > ?1 ORDER BY key
        """
    static let insertFacet: StaticString = """
        INSERT INTO facets (kind, key, name) VALUES (?1, ?2, ?3)
        """
    fileprivate static let list: StaticString = """
        INSERT INTO listings (facet, state, publication, id, article) VALUES (?1, ?2, ?3, ?4, ?5)
        """
    fileprivate static let unlist: StaticString = """
        DELETE FROM listings WHERE facet = ?1 AND state = ?2 AND publication = ?3 AND id = ?4
        """
}

/// The facet of all articles that are not deleted.
let everyArticle: Int64 = 1

/// The key of a facet.
enum FacetKey {
    case text(String)
    case id(Author.ID)
}

extension Snapshot {
    func facet(
        _ kind: FacetKind, key: FacetKey
    ) throws(StoreError) -> (number: Int64, live: Int64, published: Int64)? {
        let row = try connection.statement(SQL.facet)
        try row.bind(1, kind.rawValue)
        switch key {
        case .text(let text): try row.bind(2, mixed: text)
        case .id(let id): try row.bind(2, id)
        }
        guard try row.step() else { return nil }
        return (row.integer(0), row.integer(1), row.integer(2))
    }

    /// Tags with counts.
    func tags(
        after key: String?, limit: Int, visibleTo audience: Audience
    ) throws(StoreError) -> Slice<ArticleTag.Usage, String> {
        let limit = min(max(limit, 1), 100)
        let row = try connection.statement(SQL.tagsAfter)
        try row.bind(1, mixed: key ?? "")
        var page = Slice<ArticleTag.Usage, String>(items: [], next: nil)
        var examined = 0
        var frontier = key
        while try row.step() {
            guard examined < limits.examinedRowsPerPage else {
                page.next = frontier
                return page
            }
            examined += 1
            let tag = ArticleTag(key: row.text(1), name: row.text(2))
            var count = row.integer(audience == .editors ? 3 : 4)
            if case .author(let id) = audience {
                count += try hiddenArticles(of: id, under: row.integer(0)) ?? 0
            }
            if count > 0 {
                guard page.items.count < limit else {
                    page.next = page.items.last?.tag.key
                    return page
                }
                page.items.append(ArticleTag.Usage(tag: tag, articleCount: Int(count)))
            }
            frontier = tag.key
        }
        return page
    }
}

extension WriteStep {
    /// The number of a facet, which is created if it does not exist.
    func facet(
        _ kind: FacetKind, key: String, name: String? = nil
    ) throws(StoreError) -> Int64 {
        try connection.names.facets.value(.init(kind: kind, key: key)) {
            () throws(StoreError) in
            if let found = try state.facet(kind, key: .text(key)) { return found.number }
            let row = try connection.statement(SQL.insertFacet)
            try row.bind(1, kind.rawValue)
            try row.bind(2, mixed: key)
            try row.bind(3, name)
            return try row.insert()
        }
    }

    func resolve(_ tags: [ArticleTag]) throws(StoreError) -> [Int64] {
        var numbers: [Int64] = []
        for tag in tags {
            let number = try facet(.tag, key: tag.key, name: tag.name)
            if !numbers.contains(number) { numbers.append(number) }
        }
        return numbers
    }
}

extension WriteStep {
    // MARK: The facets of an article

    /// The listings of an article that is not deleted.
    struct FacetListings {
        fileprivate let state: StoredState
        fileprivate let publication: Timestamp
        fileprivate let facets: Set<Int64>

        fileprivate func isAtSamePlace(as other: FacetListings?) -> Bool {
            other.map { $0.state == state && $0.publication == publication } ?? false
        }
    }

    /// Returns the lists that contain an article with this content.
    func places(
        of content: StoredContent, as state: StoredState, publication: Timestamp
    ) throws(StoreError) -> FacetListings {
        FacetListings(state: state, publication: publication, facets: try facets(of: content))
    }

    private func facets(of content: StoredContent) throws(StoreError) -> Set<Int64> {
        var facets = Set(content.tags).union(content.authors)
        facets.insert(everyArticle)
        facets.insert(try facet(.language, key: content.language))
        if let source = content.source { facets.insert(try facet(.source, key: source.name)) }
        return facets
    }

    /// Moves the article to its new listings and updates the counters; unchanged listings are not
    /// touched.
    func move(
        _ article: Int64, id: Article.ID, from before: FacetListings?, to after: FacetListings?
    ) throws(StoreError) {
        let kept =
            before?.isAtSamePlace(as: after) == true
            ? before?.facets.intersection(after?.facets ?? []) ?? [] : []
        let left = (before?.facets ?? []).subtracting(kept)
        let entered = (after?.facets ?? []).subtracting(kept)
        if let before {
            for facet in left {
                let row = try connection.statement(SQL.unlist)
                try bind(row, facet, before, id)
                try row.run()
            }
        }
        if let after {
            for facet in entered {
                let row = try connection.statement(SQL.list)
                try bind(row, facet, after, id)
                try row.bind(5, article)
                try row.run()
            }
        }
        for facet in left.union(entered) {
            let from = left.contains(facet) ? before?.state : nil
            let to = entered.contains(facet) ? after?.state : nil
            connection.effects.counts.add(
                facet, live: (to == nil ? 0 : 1) - (from == nil ? 0 : 1),
                published: (to == .published ? 1 : 0) - (from == .published ? 1 : 0))
        }
    }

    private func bind(
        _ row: borrowing Statement, _ facet: Int64, _ places: FacetListings, _ id: Article.ID
    ) throws(StoreError) {
        try row.bind(1, facet)
        try row.bind(2, places.state.rawValue)
        try row.bind(3, places.publication)
        try row.bind(4, id)
    }
}
