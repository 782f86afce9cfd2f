import ArticleAPI
public import ArticleStore
import BroadsheetPlatform

extension SQLStore {
    public func changes(_ query: ChangeQuery) async throws(StoreError) -> ChangeSlice {
        try await read { (state) throws(StoreError) in try state.changes(query) }
    }
}

/// Collects one page of changes for an audience, by walking over its transitions.
///
/// A position describes its client's copy: everything whose last transition is at `sequence` or
/// before, in its present state; and subjects that changed later in some state of `base` or later,
/// if any.
struct ChangePageReader {
    private let state: Snapshot
    private let query: ChangeQuery
    private let content: AudienceLogs
    private let readers: ReaderLogs
    private let logs: [ChangeLog]
    private let matcher: ArticleMatcher
    /// The position of the client's copy.
    private let start: ChangePosition
    /// The number of the last transition that a client with everything has.
    private let last: Int64
    private var page: ChangeSlice
    /// The size of the page, estimated like that of lists.
    private var bytes = 0
    /// The number of transitions and of steps back in logs.
    private var examined = 0

    /// - Parameter floor: the number of the last change that cannot be told any more. A position
    ///   that is taken now is not before it.
    init(
        _ query: ChangeQuery, from floor: Int64, in state: Snapshot
    ) throws(StoreError) {
        self.state = state
        self.query = query
        content = try AudienceLogs(of: query.audience, in: state)
        readers = try ReaderLogs(of: query, in: state)
        let isForContent = !query.kinds.isDisjoint(with: SyncKind.content)
        logs = readers.logs + (isForContent ? content.logs.map { .content($0) } : [])
        matcher = try ArticleMatcher(query.filter, in: state)
        var last = floor
        for log in logs { last = max(last, try log.lastSequence(in: state)) }
        let epoch = try state.epoch()
        if let position = query.position {
            start = position
        } else {
            start = ChangePosition(
                epoch: epoch, sequence: 0, base: last, seen: last,
                mark: try state.mark(ofChange: last) ?? 0)
        }
        self.last = max(last, start.sequence)
        page = ChangeSlice(items: [], position: start, isLast: false)
        if self.last > start.seen {
            page.position.seen = self.last
            page.position.mark = try state.mark(ofChange: self.last) ?? 0
        }
    }

    /// Walks until a limit is reached: the number of items, their bytes, or the number of examined
    /// rows; or else to the end of all transitions, which is the last page's position.
    mutating func run() throws(StoreError) -> ChangeSlice {
        var walks: [LogCursor] = []
        for log in logs {
            walks.append(try LogCursor(over: log, after: start.sequence, in: state))
        }
        // Invariant: all transitions up to the page's position have been examined, and what follows
        // from them is in the page.
        while let walk = LogCursor.first(of: walks), let transition = walk.transition {
            guard try take(transition, of: walk) else { return page }
            page.position.sequence = transition.sequence
            try walk.advance()
        }
        return try finished()
    }

    /// The page of a client that has everything then.
    mutating func finished() throws(StoreError) -> ChangeSlice {
        (page.position.sequence, page.position.base) = (last, last)
        page.isLast = true
        return page
    }

    private var isExhausted: Bool { examined >= state.limits.examinedRowsPerPage }

    /// Examines a transition and adds its consequences; `false` if a limit comes first.
    private mutating func take(
        _ transition: Transition, of walk: LogCursor
    ) throws(StoreError) -> Bool {
        guard page.items.count < min(max(query.limit, 1), 500), !isExhausted else { return false }
        examined += 1
        guard case .content(let audience) = walk.log else {
            return try takeAddition(transition, in: walk.log)
        }
        guard let transition = try content.last(transition, in: audience) else { return true }
        switch transition.kind {
        case .article:
            guard query.kinds.contains(.article) else { return true }
            return try takeArticle(transition, of: walk)
        case .author:
            guard query.kinds.contains(.author) else { return true }
            return try takeAuthor(transition)
        case .comment, .bookmark: return true
        }
    }

    /// Examines a transition of a comment or a bookmark; `false` if a limit comes first.
    private mutating func takeAddition(
        _ transition: Transition, in log: ChangeLog
    ) throws(StoreError) -> Bool {
        if transition.isDeparture, transition.sequence <= start.base { return true }
        guard let (change, size) = try readers.change(transition, in: log) else { return true }
        guard hasRoom(for: size) else { return false }
        add(change, transition, size)
        return true
    }

    private mutating func takeArticle(
        _ transition: Transition, of walk: LogCursor
    ) throws(StoreError) -> Bool {
        if !transition.isDeparture {
            let stored = try article(of: transition, walk)
            let content = stored.revision.content
            if matcher.matches(content) {
                let size = content.lightBytes + (query.withBodies ? content.bodyBytes : 0)
                guard hasRoom(for: size) else { return false }
                let article = try state.present(
                    stored, withBody: query.withBodies, to: query.audience)
                add(.putArticle(article, revision: article.revision), transition, size)
                return true
            }
        }
        // A client whose state is as recent as the last transition does not have it.
        guard transition.sequence > start.base else { return true }
        switch try departure(transition) {
        case .never: return true
        case .isTooFar: return false
        case .at(let revision):
            guard hasRoom(for: Self.deletionBytes) else { return false }
            let subject = try state.subject(.article, number: transition.subject)
            guard case .article(let id) = subject else { return true }
            add(.deleteArticle(id, revision: revision), transition, Self.deletionBytes)
            return true
        }
    }

    private func article(
        of transition: Transition, _ walk: LogCursor
    ) throws(StoreError) -> StoredArticle {
        if let article = try walk.article() { return article }
        let wanted = min(query.limit - page.items.count, 100)
        try state.articlesAhead?.read(
            transition.subject, of: state, withBodies: query.withBodies
        ) { walk.upcomingArticles(wanted) }
        return try state.stored(number: transition.subject)
    }

    private mutating func takeAuthor(_ transition: Transition) throws(StoreError) -> Bool {
        if transition.isDeparture, transition.sequence <= start.base { return true }
        let subject = try state.subject(.author, number: transition.subject)
        guard case .author(let id) = subject else { return true }
        if transition.isDeparture {
            guard hasRoom(for: Self.deletionBytes) else { return false }
            add(.deleteAuthor(id, revision: transition.revision), transition, Self.deletionBytes)
            return true
        }
        guard let author = try state.author(id)?.author else {
            throw .corrupt("author \(transition.subject) is missing")
        }
        let texts = [author.name, author.about, author.website ?? ""]
        let size = texts.reduce(512) { $0 + $1.utf8.count }
        guard hasRoom(for: size) else { return false }
        add(.putAuthor(try state.versioned(author)), transition, size)
        return true
    }

    private static let deletionBytes = 128

    /// A page may contain one larger item.
    private func hasRoom(for size: Int) -> Bool {
        page.items.isEmpty || bytes + size <= state.limits.bytesPerPage
    }

    private mutating func add(
        _ change: SyncChange<Article>, _ transition: Transition, _ size: Int
    ) {
        page.items.append((transition.sequence, change))
        bytes += size
    }

    // MARK: Articles that a client may still have

    private enum ArticleRemoval {
        /// No state that the client may have matched.
        case never
        /// The first revision after the last state that matched.
        case at(Int)
        /// The page has no room for the search.
        case isTooFar
    }

    /// Returns the revision at which an article that is not in sight or does not match ceased to
    /// match, if it ever did since the client's base.
    private mutating func departure(
        _ transition: Transition
    ) throws(StoreError) -> ArticleRemoval {
        // It was in sight directly before it departed.
        guard matcher.isSelective else { return .at(transition.revision) }
        let row = try state.connection.statement(SQL.logBefore)
        try row.bind(1, transition.subject)
        try row.bind(2, transition.sequence)
        // Invariant: no state between the revisions of `row` and of the transition matched.
        while try row.step() {
            if isExhausted {
                // A log that takes more than a whole page is not searched to its end: the audience
                // saw the article after `base`, and deleting what one does not have does no harm.
                let isFirst = page.position.sequence == start.sequence && page.items.isEmpty
                return isFirst ? .at(transition.revision) : .isTooFar
            }
            examined += 1
            // A revision that was removed may have matched.
            guard !row.isNull(2) else { return .at(Int(row.integer(1)) + 1) }
            let revision = try StoredRevision(row, from: 2)
            if content.sees(VisibilityInputs(of: revision)), matcher.matches(revision.content) {
                return .at(revision.number + 1)
            }
            if row.integer(0) <= start.base { break }
        }
        return .never
    }
}

extension SQL {
    /// The states of an article before one of its changes, from the last to the first.
    fileprivate static let logBefore: StaticString = """
        SELECT changes.sequence, changes.revision, revisions.* FROM changes
        LEFT JOIN revisions ON row = (subject << 20 | changes.revision)
        WHERE kind = 0 AND subject = ?1 AND sequence < ?2 ORDER BY sequence DESC
        """
}

extension Snapshot {
    func changes(_ query: ChangeQuery) throws(StoreError) -> ChangeSlice {
        let floor = try floor(of: query)
        if let position = query.position, try !isInHistory(position, from: floor) {
            throw .otherHistory
        }
        var walk = try ChangePageReader(query, from: floor, in: self)
        return try query.startsNow ? walk.finished() : walk.run()
    }
}

/// Decides whether the content of an article, now or at an earlier revision, is selected by a
/// filter, like a list with the same filter.
struct ArticleMatcher {
    /// True if there is anything that it does not match.
    let isSelective: Bool
    private let filter: ArticleFilter
    /// The facets of the filter's tags and author.
    private var tags: [Int64] = []
    private var author: Int64?
    /// True if there is no such tag or author, at least not any more: removed revisions may have
    /// had it.
    private var isEmpty = false

    init(_ filter: ArticleFilter, in snapshot: Snapshot) throws(StoreError) {
        self.filter = filter
        isSelective = filter != ArticleFilter()
        for key in filter.tags {
            guard let found = try snapshot.facet(.tag, key: .text(key)) else {
                isEmpty = true
                return
            }
            tags.append(found.number)
        }
        if let id = filter.author {
            guard let found = try snapshot.facet(.author, key: .id(id)) else {
                isEmpty = true
                return
            }
            author = found.number
        }
    }

    func matches(_ content: StoredContent) -> Bool {
        guard isSelective else { return true }
        return !isEmpty && tags.allSatisfy(content.tags.contains)
            && author.map(content.authors.contains) ?? true
            && filter.language.map { Self.isSame($0, content.language) } ?? true
            && filter.source.map { Self.isSame($0, content.source?.name) } ?? true
            && filter.status.map { $0 == content.state.status } ?? true
            && isInRange(content.publishedAt)
    }

    /// Returns true if the time is in the range, whose ends are exclusive. An article without a
    /// time of publication is in no range.
    private func isInRange(_ time: Timestamp?) -> Bool {
        if let after = filter.publishedAfter {
            guard let time, time > after else { return false }
        }
        if let before = filter.publishedBefore {
            guard let time, time < before else { return false }
        }
        return true
    }

    /// Compares bytes, as the database does.
    private static func isSame(_ text: String, _ other: String?) -> Bool {
        other.map { $0.hasBytes(of: text) } ?? false
    }
}
