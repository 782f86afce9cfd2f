public import ArticleAPI
public import ArticleStore

/// The removal of histories beyond their limits, and of rows that nothing uses any more, in steps
/// that each delay other writes as little as one of these. See `DroppedArticles.swift` for deleted
/// articles.
extension SQLStore {
    public func removeHistory(
        _ rules: RetentionRules, at time: Timestamp, _ walk: RetentionProgress
    ) async throws(StoreError) -> RetentionProgress {
        var walk = walk
        switch walk.phase {
        case .renderings:
            let isDone = try await removeFormerRenderings()
            if isDone { walk.phase = .deleted(after: nil) }
        case .deleted(let position):
            try await dropArticles(rules, at: time, after: position, &walk)
        case .histories(let article):
            walk.phase = try await read { (state) throws(StoreError) in
                try state.excess(of: rules, at: time, after: article)
            }
        case .thinning(let article, let numbers):
            let part = Array(numbers.prefix(RetentionStepLimits.revisions))
            walk.revisions += try await submitAsLeader { (step) throws(StoreError) in
                try step.thin(part, of: article)
            }
            let rest = Array(numbers.dropFirst(part.count))
            walk.phase = rest.isEmpty ? .histories(after: article) : .thinning(article, rest)
        case .listings, .tags, .actors, .end:
            // Histories use tags and actors, so that they only become unused with these.
            walk.phase =
                walk.revisions + walk.articles > 0
                ? try await removeUnusedNames(walk.phase) : .end
        }
        return walk
    }

    private func removeFormerRenderings() async throws(StoreError) -> Bool {
        let hasNone = try await read { (state) throws(StoreError) in
            try state.lastFormerRendering() == 0
        }
        if hasNone { return true }
        return try await submitAsLeader { (step) throws(StoreError) in
            try step.removeFormerRenderings()
        }
    }
}

/// The size of a step.
enum RetentionStepLimits {
    static let revisions = 50
    static let renderings = 100
    static let names = 200
    /// The number of rows that are only looked at.
    static let examined = 2_000
    /// The revisions of one article that are compared, in addition to those that are kept.
    static let compared = 5_000
}

extension SQL {
    fileprivate static let formerRendering: StaticString =
        "SELECT renderings FROM retention"
    fileprivate static let renderedBodies: StaticString = """
        SELECT body, EXISTS (SELECT 1 FROM revisions JOIN articles
            ON articles.number = revisions.article AND articles.revision = revisions.number
            WHERE revisions.body = renderings.body AND articles.state <> 3)
        FROM renderings WHERE body <= ?1 ORDER BY body DESC LIMIT ?2
        """
    fileprivate static let setFormerRendering: StaticString = "UPDATE retention SET renderings = ?1"
    fileprivate static let articlesAfter: StaticString = """
        SELECT number, revision FROM articles WHERE number > ?1 ORDER BY number LIMIT ?2
        """
    fileprivate static let revisionFacts: StaticString = """
        SELECT number, time, actor, editor, owner, state = 1 AND action <> 2 FROM revisions
        WHERE row > ?1 << 20 AND row < (?1 + 1) << 20 ORDER BY row LIMIT ?2
        """
    fileprivate static let isKeptByWrite: StaticString = """
        SELECT 1 FROM kept_writes
        WHERE body = (SELECT body FROM revisions WHERE row = (?1 << 20 | ?2))
        """
    fileprivate static let lastRevision: StaticString =
        "SELECT revision FROM articles WHERE number = ?1"
}

extension Snapshot {
    fileprivate func lastFormerRendering() throws(StoreError) -> Int64 {
        let row = try connection.statement(SQL.formerRendering)
        return try row.step() ? row.integer(0) : 0
    }

    /// Returns the revisions to remove from the next history that has too many.
    fileprivate func excess(
        of rules: RetentionRules, at time: Timestamp, after article: Int64
    ) throws(StoreError) -> RetentionProgress.Phase {
        guard rules.revisions != nil || rules.revisionMilliseconds != nil else { return .listings }
        // Without a limit of time, a history within the other one is complete.
        let least = rules.revisionMilliseconds == nil ? rules.revisions ?? 1 : 1
        let row = try connection.statement(SQL.articlesAfter)
        try row.bind(1, article)
        try row.bind(2, RetentionStepLimits.examined)
        var last: Int64?
        var examined = 0
        while try row.step() {
            let number = row.integer(0)
            last = number
            guard row.integer(1) > least else { continue }
            let history = try facts(of: number, limit: (rules.revisions ?? 0))
            let excess = rules.excess(in: history, at: time)
            if !excess.isEmpty { return .thinning(number, excess) }
            examined += history.count
            if examined > RetentionStepLimits.examined { break }
        }
        return last.map { .histories(after: $0) } ?? .listings
    }

    /// The oldest revisions of an article. The rest of a longer history has its turn later.
    private func facts(of article: Int64, limit: Int) throws(StoreError) -> [RevisionFacts] {
        let row = try connection.statement(SQL.revisionFacts)
        try row.bind(1, article)
        try row.bind(2, limit + RetentionStepLimits.compared)
        var facts: [RevisionFacts] = []
        while try row.step() {
            facts.append(
                RevisionFacts(
                    number: Int(row.integer(0)), time: row.time(1),
                    actor: row.optionalInteger(2), editor: row.optionalText(3),
                    owner: try row.optionalIdentifier(4), isPublished: row.integer(5) != 0))
        }
        return facts
    }
}

extension WriteStep {
    /// Removes some of the renderings that no article needs, from before they were removed with the
    /// edit; true if there are none left.
    fileprivate func removeFormerRenderings() throws(StoreError) -> Bool {
        let last = try state.lastFormerRendering()
        let row = try connection.statement(SQL.renderedBodies)
        try row.bind(1, last)
        try row.bind(2, RetentionStepLimits.renderings)
        var bodies: [(number: Int64, isNeeded: Bool)] = []
        while try row.step() { bodies.append((row.integer(0), row.integer(1) != 0)) }
        for body in bodies where !body.isNeeded { try removeRendering(ofBody: body.number) }
        let isDone = bodies.count < RetentionStepLimits.renderings
        let set = try connection.statement(SQL.setFormerRendering)
        try set.bind(1, isDone ? 0 : (bodies.last?.number ?? 1) - 1)
        try set.run()
        return isDone
    }

    /// Removes revisions, but not the last one, nor one whose text the repetition of a write needs:
    /// it goes when the repetition cannot come any more. Returns the number removed.
    fileprivate func thin(_ numbers: [Int], of article: Int64) throws(StoreError) -> Int {
        let last = try connection.statement(SQL.lastRevision)
        try last.bind(1, article)
        guard try last.step() else { return 0 }
        var removed: [Int] = []
        for number in numbers where number < Int(last.integer(0)) {
            let kept = try connection.statement(SQL.isKeptByWrite)
            try kept.bind(1, article)
            try kept.bind(2, number)
            if try !kept.step() { removed.append(number) }
        }
        try removeRevisions(removed, of: article)
        return removed.count
    }
}
