import ArticleAPI
import ArticleStore

/// An audience of the changes. Each has a log of its own, with the last transition of each article
/// and author that it has seen.
enum TransitionAudience: Hashable {
    case everyone, editors
    /// A user as the owner of articles, and the number of the user's row. The log has nothing that
    /// the user sees for any other reason.
    case owner(UserRecord.ID, number: Int64)

    /// The column `audience`.
    var number: Int64 {
        switch self {
        case .everyone: 0
        case .editors: 1
        case .owner(_, let number): Self.number(ofUser: number)
        }
    }

    /// The column `audience` for the user with this row.
    static func number(ofUser number: Int64) -> Int64 { 1 + number }

    /// Returns true if the audience sees an article; `nil` before its first revision.
    func sees(_ exposure: VisibilityInputs?) -> Bool {
        guard let exposure else { return false }
        return switch self {
        case .everyone: exposure.state == .published
        case .editors: exposure.state != .deleted
        case .owner(let id, _): exposure.state != .deleted && exposure.owner == id
        }
    }
}

/// The facts that decide who sees an article, before or after a step of its history.
struct VisibilityInputs {
    let state: StoredState
    let owner: UserRecord.ID?
    let content: StoredContent

    init(state: StoredState, owner: UserRecord.ID?, content: StoredContent) {
        self.state = state
        self.owner = owner
        self.content = content
    }

    /// The article now.
    init(of article: StoredArticle) {
        self.init(
            state: article.state, owner: article.owner, content: article.revision.content)
    }

    /// The article as of this revision.
    init(of revision: StoredRevision) {
        self.init(state: revision.state, owner: revision.content.owner, content: revision.content)
    }
}

/// The last transition of a subject for an audience.
struct Transition {
    var sequence: Int64
    var kind: SubjectKind
    /// The number of the article, author or comment; for a bookmark, that of its article.
    var subject: Int64
    /// The revision that the audience sees from then on, or the first that it does not see.
    var revision: Int
    /// True if the subject left the audience's sight.
    var isDeparture: Bool
}

extension Transition {
    /// The number of columns that it is read from.
    static let columns: Int32 = 5

    /// Reads the columns of a transition.
    init(_ row: borrowing Statement) throws(StoreError) {
        self.init(
            sequence: row.integer(0), kind: try SubjectKind(row.integer(1)),
            subject: row.integer(2),
            revision: Int(row.integer(3)), isDeparture: row.integer(4) != 0)
    }
}

extension SQL {
    static let transitionsAfter: StaticString = """
        SELECT sequence, kind, subject, revision, is_departure FROM transitions
        WHERE audience = ?1 AND sequence > ?2 ORDER BY sequence
        """
    /// The columns of a transition, and of its article in sight, if it is one's.
    static let articleTransitionsAfter: StaticString = """
        SELECT transitions.sequence, transitions.kind, transitions.subject, transitions.revision,
            transitions.is_departure, articles.id, articles.state, articles.revision,
            articles.created_at, articles.owner, revisions.*
        FROM transitions
        LEFT JOIN articles ON transitions.kind = 0 AND transitions.is_departure = 0
            AND articles.number = transitions.subject
        LEFT JOIN revisions ON row = (articles.number << 20 | articles.revision)
        WHERE transitions.audience = ?1 AND transitions.sequence > ?2
        ORDER BY transitions.sequence
        """
    static let transitionOfSubject: StaticString = """
        SELECT sequence, kind, subject, revision, is_departure FROM transitions
        WHERE audience = ?1 AND kind = ?2 AND subject = ?3
        """
    static let lastTransition: StaticString =
        "SELECT coalesce(max(sequence), 0) FROM transitions WHERE audience = ?1"
    fileprivate static let setTransition: StaticString = """
        INSERT INTO transitions (audience, sequence, kind, subject, revision, is_departure)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (audience, kind, subject) DO UPDATE SET sequence = excluded.sequence,
            revision = excluded.revision, is_departure = excluded.is_departure
        """
    /// Counts to 2.
    fileprivate static let publicArticles: StaticString = """
        SELECT count(*) FROM (
            SELECT 1 FROM listings WHERE facet = ?1 AND state = 1 LIMIT 2) AS found
        """
    fileprivate static let authorByNumber: StaticString =
        "SELECT id, revision FROM authors WHERE number = ?1"
}

extension Snapshot {
    /// The last transition of a subject for an audience.
    func transition(
        of kind: SubjectKind, _ subject: Int64, for audience: TransitionAudience
    ) throws(StoreError) -> Transition? {
        let row = try connection.statement(SQL.transitionOfSubject)
        try row.bind(1, audience.number)
        try row.bind(2, kind.rawValue)
        try row.bind(3, subject)
        return try row.step() ? Transition(row) : nil
    }

    /// The number of public articles of an author, at most 2.
    func publicArticles(ofAuthor number: Int64) throws(StoreError) -> Int {
        let row = try connection.statement(SQL.publicArticles)
        try row.bind(1, number)
        return try row.step() ? Int(row.integer(0)) : 0
    }
}

extension WriteStep {
    /// Records the meaning of an article's change for each audience, and the changes of authors
    /// that follow from it. The article is already listed in its new state.
    func recordTransitions(
        of article: Int64, revision: Int, at sequence: Int64, from before: VisibilityInputs?,
        to after: VisibilityInputs
    ) throws(StoreError) {
        var audiences = [TransitionAudience.everyone, .editors]
        if let owner = try audience(ofOwner: before?.owner) { audiences.append(owner) }
        if after.owner != before?.owner, let owner = try audience(ofOwner: after.owner) {
            audiences.append(owner)
        }
        for audience in audiences {
            let isSeen = audience.sees(after)
            // Otherwise a change that the audience does not see would replace a departure.
            guard isSeen || audience.sees(before) else { continue }
            try record(
                Transition(
                    sequence: sequence, kind: .article, subject: article,
                    revision: revision, isDeparture: !isSeen), for: audience)
        }
        let wasPublic = TransitionAudience.everyone.sees(before)
        let isPublic = TransitionAudience.everyone.sees(after)
        let moved = try recordTransitions(
            ofAuthors: wasPublic ? before?.content.authors ?? [] : [],
            to: isPublic ? after.content.authors : [])
        for owned in try countOwned(from: before, to: after) where !moved.contains(owned.author) {
            // An owner sees public authors for another reason.
            guard try state.publicArticles(ofAuthor: owned.author) == 0,
                let audience = try audience(ofOwner: owned.owner)
            else { continue }
            try recordTransition(
                ofAuthor: owned.author, isDeparture: owned.isDeparture, for: audience)
        }
    }

    private func audience(
        ofOwner id: UserRecord.ID?
    ) throws(StoreError) -> TransitionAudience? {
        guard let id, let number = try state.userNumber(id) else { return nil }
        return .owner(id, number: number)
    }

    /// Records the meaning of a change of an author's own content for each audience.
    func recordTransitions(
        ofAuthor number: Int64, revision: Int, at sequence: Int64, isPublic: Bool
    ) throws(StoreError) {
        let transition = Transition(
            sequence: sequence, kind: .author, subject: number,
            revision: revision, isDeparture: false)
        try record(transition, for: .editors)
        if isPublic {
            try record(transition, for: .everyone)
        } else {
            for owner in try state.owners(under: number) { try record(transition, for: owner) }
        }
    }

    /// Authors are public with their first public article and until their last one: each
    /// appearance and departure is a change with a number of its own, directly after that of the
    /// article. Returns the authors who appeared or departed.
    private func recordTransitions(
        ofAuthors before: [Int64], to after: [Int64]
    ) throws(StoreError) -> Set<Int64> {
        guard before != after else { return [] }
        var moved: Set<Int64> = []
        var examined = Set(before).intersection(after)
        for author in after where examined.insert(author).inserted {
            guard try state.publicArticles(ofAuthor: author) == 1 else { continue }
            try recordTransition(ofAuthor: author, isDeparture: false, for: .everyone)
            moved.insert(author)
        }
        for author in before where examined.insert(author).inserted {
            guard try state.publicArticles(ofAuthor: author) == 0 else { continue }
            try recordTransition(ofAuthor: author, isDeparture: true, for: .everyone)
            moved.insert(author)
        }
        return moved
    }

    private func recordTransition(
        ofAuthor number: Int64, isDeparture: Bool, for audience: TransitionAudience
    ) throws(StoreError) {
        let row = try connection.statement(SQL.authorByNumber)
        try row.bind(1, number)
        guard try row.step() else { throw .corrupt("author \(number) is missing") }
        let revision = Int(row.integer(1))
        let sequence = try recordChange(
            of: .author(try row.identifier(0)), number: number, revision: revision,
            isDeletion: false, isPublic: audience == .everyone)
        try record(
            Transition(
                sequence: sequence, kind: .author, subject: number,
                revision: revision, isDeparture: isDeparture), for: audience)
    }

    /// Replaces the subject's last transition for an audience.
    private func record(
        _ transition: Transition, for audience: TransitionAudience
    ) throws(StoreError) {
        let row = try connection.statement(SQL.setTransition)
        try row.bind(1, audience.number)
        try row.bind(2, transition.sequence)
        try row.bind(3, transition.kind.rawValue)
        try row.bind(4, transition.subject)
        try row.bind(5, transition.revision)
        try row.bind(6, transition.isDeparture ? 1 : 0)
        try row.run()
    }
}
