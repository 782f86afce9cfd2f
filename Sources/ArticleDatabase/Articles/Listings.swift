import ArticleAPI
public import ArticleStore

/// Lists of articles: pages in several orders, and the number of articles.
extension SQLStore {
    public func articles(_ query: ArticleQuery) async throws(StoreError) -> ArticleSlice {
        try await read { (state) throws(StoreError) in
            var slice = try state.articles(query)
            if query.counts { slice.count = try state.count(query) }
            return slice
        }
    }

    public func articleCount() async throws(StoreError) -> Int {
        try await read { (state) throws(StoreError) in try state.articleCount() }
    }
}

extension SQL {
    fileprivate static let isListed: StaticString = """
        SELECT 1 FROM listings WHERE facet = ?1 AND state = ?2 AND publication = ?3 AND id = ?4
        """
    fileprivate static let liveCount: StaticString = "SELECT live FROM facets WHERE number = 1"
}

extension Snapshot {
    /// One page. Merges the states of the plans in order, and stops at the first limit: the number
    /// of items, their bytes, or the number of examined index rows.
    func articles(_ query: ArticleQuery) throws(StoreError) -> ArticleSlice {
        let limit = min(max(query.limit, 1), 100)
        let cursors = try open(query)
        var page = ArticleSlice(items: [], next: nil)
        page.items.reserveCapacity(limit)
        var bytes = 0
        var examined = cursors.count
        var frontier = query.after
        // The end of a full page; the cursor must not disclose later rows that its reader may not
        // see.
        var last: ArticlePosition?
        // Invariant: all rows up to `frontier` have been examined; the matching ones are in the
        // page.
        while let cursor = Self.first(of: cursors, in: query.sort), let entry = cursor.entry {
            guard examined < limits.examinedRowsPerPage else {
                page.next = frontier
                return page
            }
            if try matches(entry, of: cursor, &examined),
                let stored = try candidate(entry, of: cursor, query, limit - page.items.count)
            {
                bytes += stored.revision.content.lightBytes
                bytes += query.withBodies ? stored.revision.content.bodyBytes : 0
                guard page.items.count < limit,
                    page.items.isEmpty || bytes <= limits.bytesPerPage
                else {
                    page.next = last
                    return page
                }
                page.items.append(
                    try present(stored, withBody: query.withBodies, to: query.audience))
                last = entry.position
            }
            frontier = entry.position
            try cursor.advance()
            examined += 1
        }
        return page
    }

    private func open(_ query: ArticleQuery) throws(StoreError) -> [ListingCursor] {
        var cursors: [ListingCursor] = []
        for plan in try ListingPlan.plans(for: query, in: self) {
            cursors += try open(plan, query)
        }
        return cursors
    }

    private func open(
        _ plan: ListingPlan, _ query: ArticleQuery
    ) throws(StoreError) -> [ListingCursor] {
        var cursors: [ListingCursor] = []
        let keys = query.sort.isByPublication ? plan.publications : .min ... .max
        for state in plan.states {
            var from = ListingCursor.Bound.before(keys.lowerBound)
            var to = ListingCursor.Bound.after(keys.upperBound)
            if let after = query.after {
                if query.sort.isDescending {
                    let end = ListingCursor.Bound.at(after)
                    if end < to { to = end }
                } else {
                    let start = ListingCursor.Bound.past(after)
                    if from < start { from = start }
                }
            }
            guard from < to else { continue }
            let cursor = try ListingCursor(
                connection, sort: query.sort, plan: plan, state: state, from: from, to: to,
                // The one after the page shows that there is another page.
                wanted: query.limit + 1, join: join(plan, query))
            try articlesAhead?.read(
                of: cursor.articles, self, withBodies: query.withBodies)
            cursors.append(cursor)
        }
        return cursors
    }

    /// The articles are read with the rows of the index if most of these rows belong to the page,
    /// and are not only counted.
    private func join(_ plan: ListingPlan, _ query: ArticleQuery) -> ListingCursor.Join {
        guard case .facet = plan.driver, query.limit <= 100, plan.probes.isEmpty,
            plan.states.count == 1, query.sort.isByPublication
        else { return .none }
        return ahead == nil ? .rows : .page
    }

    private static func first(of cursors: [ListingCursor], in sort: ArticleSort) -> ListingCursor? {
        var first: ListingCursor?
        for cursor in cursors {
            guard let entry = cursor.entry else { continue }
            if let best = first?.entry, !entry.position.precedes(best.position, in: sort) {
                continue
            }
            first = cursor
        }
        return first
    }

    /// Only queries indexes; each query counts as an examined row.
    func matches(
        _ entry: ListingCursor.Entry, of cursor: ListingCursor, _ examined: inout Int
    ) throws(StoreError) -> Bool {
        guard cursor.plan.publications.contains(entry.publication) else { return false }
        for facet in cursor.plan.probes {
            examined += 1
            let row = try connection.statement(SQL.isListed)
            try row.bind(1, facet)
            try row.bind(2, cursor.state.rawValue)
            try row.bind(3, entry.publication)
            try row.bind(4, entry.position.id)
            guard try row.step() else { return false }
        }
        return true
    }

    /// Returns the article, unless the query has a range of publication times and it was never
    /// published.
    ///
    /// - Parameter wanted: the number of the next articles that are probably needed.
    func candidate(
        _ entry: ListingCursor.Entry, of cursor: ListingCursor, _ query: ArticleQuery,
        _ wanted: Int
    ) throws(StoreError) -> StoredArticle? {
        let stored: StoredArticle
        if let article = try cursor.article() {
            stored = article
        } else {
            // With filters that are looked up for each row, few of the next rows may match.
            try articlesAhead?.read(entry.article, of: self, withBodies: query.withBodies) {
                cursor.plan.probes.isEmpty ? cursor.upcoming(wanted) : []
            }
            stored = try self.stored(number: entry.article)
        }
        return query.filter.isBounded && stored.revision.content.publishedAt == nil ? nil : stored
    }
}

extension Snapshot {
    /// The number of articles on all pages of a list. Counting stops at 10,000, and at the limit
    /// for examined rows.
    func count(_ query: ArticleQuery) throws(StoreError) -> PageCount {
        var query = query
        query.after = nil
        query.withBodies = false
        query.limit = ArticleLimits.count
        // Ordering by publication iterates over the rarest facet.
        query.sort = .newestFirst
        var count = PageCount(value: 0, isExact: true)
        var examined = 0
        for cursor in try open(query) {
            while let entry = cursor.entry {
                guard examined < limits.examinedRowsPerCount else {
                    count.isExact = false
                    return count
                }
                examined += 1
                if try matches(entry, of: cursor, &examined),
                    try isCandidate(entry, of: cursor, query, &examined)
                {
                    guard count.value < ArticleLimits.count else {
                        count.isExact = false
                        return count
                    }
                    count.value += 1
                }
                try cursor.advance()
            }
        }
        return count
    }

    private func isCandidate(
        _ entry: ListingCursor.Entry, of cursor: ListingCursor, _ query: ArticleQuery,
        _ examined: inout Int
    ) throws(StoreError) -> Bool {
        guard query.filter.isBounded else { return true }
        examined += 1
        return try candidate(entry, of: cursor, query, 100) != nil
    }
}

extension Snapshot {
    func articleCount() throws(StoreError) -> Int {
        let row = try connection.statement(SQL.liveCount)
        guard try row.step() else { throw .corrupt("the article counter is missing") }
        return Int(row.integer(0))
    }
}
