import ArticleAPI
public import ArticleStore
import BroadsheetPlatform

/// The change sequence: recorded with each step, and read in order.
extension SQLStore {
    public func changeSequence() async throws(StoreError) -> Int64 {
        try await read { (state) throws(StoreError) in try state.changeSequence() }
    }

    public func changes(
        after sequence: Int64, limit: Int
    ) async throws(StoreError) -> [ChangeRecord] {
        try await read { (state) throws(StoreError) in
            try state.changes(after: sequence, limit: limit)
        }
    }
}

extension SQL {
    fileprivate static let lastSequence: StaticString =
        "SELECT coalesce(max(sequence), 0) FROM changes"
    // The visibility of a removed revision is not known: it may have been public.
    fileprivate static let changesAfter: StaticString = """
        SELECT sequence, kind, subject, revision, is_deletion, CASE kind
            WHEN 0 THEN (SELECT count(*) FROM revisions WHERE state <> 1 AND row IN (
                subject << 20 | changes.revision, subject << 20 | changes.revision - 1))
                < CASE WHEN changes.revision = 1 THEN 1 ELSE 2 END
            ELSE kind < 3 END
        FROM changes WHERE sequence > ?1 ORDER BY sequence LIMIT ?2
        """
    fileprivate static let insertChange: StaticString = """
        INSERT INTO changes (kind, subject, revision, is_deletion, mark)
        VALUES (?1, ?2, ?3, ?4, ?5)
        """
    fileprivate static let markOfChange: StaticString =
        "SELECT mark FROM changes WHERE sequence = ?1"
    /// The mark of a change that was removed, if it was the last one of a log.
    fileprivate static let markOfDropped: StaticString = """
        SELECT coalesce((SELECT mark FROM floors WHERE sequence = ?1 LIMIT 1), 0)
        FROM retention WHERE dropped >= ?1
        """
    fileprivate static let articleIDByNumber: StaticString =
        "SELECT id FROM articles WHERE number = ?1"
    fileprivate static let authorIDByNumber: StaticString =
        "SELECT id FROM authors WHERE number = ?1"
    fileprivate static let commentIDByNumber: StaticString = """
        SELECT comments.id, articles.id FROM comments
        JOIN articles ON articles.number = comments.article WHERE comments.number = ?1
        """
}

extension Snapshot {
    func changeSequence() throws(StoreError) -> Int64 {
        let row = try connection.statement(SQL.lastSequence)
        return try row.step() ? row.integer(0) : 0
    }

    /// The mark of a change; 0 for the beginning and for changes from before there were marks,
    /// `nil` if there is no such change.
    func mark(ofChange sequence: Int64) throws(StoreError) -> Int64? {
        guard sequence > 0 else { return 0 }
        let row = try connection.statement(SQL.markOfChange)
        try row.bind(1, sequence)
        if try row.step() { return row.integer(0) }
        let dropped = try connection.statement(SQL.markOfDropped)
        try dropped.bind(1, sequence)
        return try dropped.step() ? dropped.integer(0) : nil
    }

    /// Returns true if the changes since this position can be listed: the only place that decides
    /// this.
    ///
    /// A history is linear, so the last change that was seen proves all before it.
    ///
    /// - Parameter floor: the number of the last change that cannot be listed any more.
    func isInHistory(
        _ position: ChangePosition, from floor: Int64
    ) throws(StoreError) -> Bool {
        let last = max(position.sequence, position.base)
        guard try epoch() == position.epoch, last >= floor else { return false }
        return try mark(ofChange: position.seen) == position.mark
    }

    func changes(after sequence: Int64, limit: Int) throws(StoreError) -> [ChangeRecord] {
        let row = try connection.statement(SQL.changesAfter)
        try row.bind(1, sequence)
        try row.bind(2, min(max(limit, 1), 1_000))
        var changes: [ChangeRecord] = []
        while try row.step() {
            changes.append(
                ChangeRecord(
                    sequence: row.integer(0),
                    subject: try subject(SubjectKind(row.integer(1)), number: row.integer(2)),
                    revision: Int(row.integer(3)), isDeletion: row.integer(4) != 0,
                    isPublic: row.integer(5) != 0))
        }
        return changes
    }

    func subject(
        _ kind: SubjectKind, number: Int64
    ) throws(StoreError) -> ChangeRecord.Subject {
        let row: Statement
        switch kind {
        case .article, .bookmark: row = try connection.statement(SQL.articleIDByNumber)
        case .comment: row = try connection.statement(SQL.commentIDByNumber)
        case .author: row = try connection.statement(SQL.authorIDByNumber)
        }
        try row.bind(1, number)
        guard try row.step() else { throw .corrupt("a change has no subject (\(kind), \(number))") }
        switch kind {
        case .article: return .article(try row.identifier(0))
        case .author: return .author(try row.identifier(0))
        case .comment: return .comment(try row.identifier(0), on: try row.identifier(1))
        case .bookmark: return .bookmark(try row.identifier(0))
        }
    }
}

/// The column `kind` of changes and transitions.
enum SubjectKind: Int64 {
    case article, author, comment, bookmark

    init(_ number: Int64) throws(StoreError) {
        guard let kind = SubjectKind(rawValue: number) else {
            throw .corrupt("a change has the kind \(number)")
        }
        self = kind
    }
}

extension ChangeRecord.Subject {
    var kind: SubjectKind {
        switch self {
        case .article: .article
        case .author: .author
        case .comment: .comment
        case .bookmark: .bookmark
        }
    }
}

extension WriteStep {
    /// Adds a change with the next number of the sequence, which is the table's next row, as rows
    /// are never deleted, and returns this number.
    func recordChange(
        of subject: ChangeRecord.Subject, number: Int64, revision: Int, isDeletion: Bool,
        isPublic: Bool, renaming user: User.ID? = nil, bookmarker: User.ID? = nil
    ) throws(StoreError) -> Int64 {
        let row = try connection.statement(SQL.insertChange)
        try row.bind(1, subject.kind.rawValue)
        try row.bind(2, number)
        try row.bind(3, revision)
        try row.bind(4, isDeletion ? 1 : 0)
        try row.bind(5, connection.effects.commitMark)
        let sequence = try row.insert()
        connection.effects.add(
            ChangeRecord(
                sequence: sequence, subject: subject, revision: revision, isDeletion: isDeletion,
                isPublic: isPublic, renamedWriter: user, bookmarker: bookmarker))
        return sequence
    }
}

/// The effects of the open transaction's steps that are left for its commit: counters to write,
/// changes to announce, and notes for the processes that share the database.
struct CommitEffects {
    var counts = FacetCounts()
    private(set) var changes: [ChangeRecord] = []
    /// True if there were more changes than are kept.
    private(set) var isTruncated = false
    private(set) var accessChanges: [AccessChange] = []
    /// True if another history begins, in which everything has another version.
    var beginsHistory = false
    /// The random number that tells this commit from all others, with which its changes are marked.
    private(set) var commitMark: Int64 = 0
    /// Makes the ids of rows whose number is only known in the transaction; `nil` outside commits.
    private var generator: SystemEnvironment.Generator?
    /// If there are more changes, observers are not told of them one by one.
    static let limitChanges = 500

    /// A point in the transaction, to which `undo(to:)` returns.
    struct Mark {
        fileprivate var counts = 0
        fileprivate var changes = 0
        fileprivate var isTruncated = false
        fileprivate var accessChanges = 0

        /// The beginning of the transaction.
        static let begin = Mark()
    }

    var mark: Mark {
        Mark(
            counts: counts.mark, changes: changes.count, isTruncated: isTruncated,
            accessChanges: accessChanges.count)
    }

    /// Begins a commit.
    ///
    /// A machine that is set back together with its memory may repeat its random numbers, but not
    /// at the same nanoseconds.
    mutating func begin(in system: SystemEnvironment) {
        let mark = Int64(bitPattern: system.random()) ^ system.monotonicNanoseconds()
        commitMark = mark == 0 ? 1 : mark
        generator = system.generator
    }

    /// A new id, made at `time`.
    func newID<Subject>(at time: Timestamp) -> Identifier<Subject> {
        guard var generator else { preconditionFailure("programmer error: no commit has begun") }
        return Identifier(at: time, using: &generator)
    }

    mutating func add(_ change: ChangeRecord) {
        if changes.count < Self.limitChanges {
            changes.append(change)
        } else {
            isTruncated = true
        }
    }

    mutating func add(_ change: AccessChange) { accessChanges.append(change) }

    mutating func clear() {
        undo(to: .begin)
        beginsHistory = false
    }

    /// Discards effects after the mark.
    mutating func undo(to mark: Mark) {
        counts.undo(to: mark.counts)
        changes.removeSubrange(mark.changes...)
        isTruncated = mark.isTruncated
        accessChanges.removeSubrange(mark.accessChanges...)
    }
}

/// Accumulates the changes to the facets' counters in a commit and writes them once, as the
/// articles of a commit share most of their facets.
struct FacetCounts {
    fileprivate struct Change {
        var facet: Int64
        var live: Int64
        var published: Int64
    }

    private var changes: [Change] = []

    /// The current position, to which `undo(to:)` can return.
    var mark: Int { changes.count }

    /// Adds to the numbers of articles under a facet: of all, and of those that are public.
    mutating func add(_ facet: Int64, live: Int64, published: Int64) {
        guard live != 0 || published != 0 else { return }
        changes.append(Change(facet: facet, live: live, published: published))
    }

    /// Discards changes after the mark.
    mutating func undo(to mark: Int) { changes.removeSubrange(mark...) }

    /// Writes the accumulated changes in the transaction that counted them.
    mutating func write(to connection: Connection) throws(StoreError) {
        var sums: [Int64: Change] = [:]
        for change in changes {
            sums[change.facet, default: Change(facet: change.facet, live: 0, published: 0)]
                .add(change)
        }
        changes.removeAll(keepingCapacity: true)
        for sum in sums.values.sorted(by: { $0.facet < $1.facet })
        where sum.live != 0 || sum.published != 0 {
            let row = try connection.statement(SQL.countFacet)
            try row.bind(1, sum.facet)
            try row.bind(2, sum.live)
            try row.bind(3, sum.published)
            try row.run()
        }
    }
}

extension FacetCounts.Change {
    fileprivate mutating func add(_ other: Self) {
        live += other.live
        published += other.published
    }
}

extension SQL {
    fileprivate static let countFacet: StaticString = """
        UPDATE facets SET live = live + ?2, published = published + ?3 WHERE number = ?1
        """
}
