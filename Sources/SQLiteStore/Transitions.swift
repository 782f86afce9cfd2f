import ArticleAPI
import ArticleStore

/// An audience of the changes. Each has a log of its own, with the last transition of each article
/// and author that it has seen.
enum TransitionAudience: Int64, CaseIterable {
    case everyone, editors

    init(_ audience: Audience) {
        switch audience {
        case .everyone: self = .everyone
        case .editors: self = .editors
        }
    }

    /// Whether the audience sees an article in this state; `nil` before its first revision.
    func sees(_ state: StoredState?) -> Bool {
        guard let state else { return false }
        return switch self {
        case .everyone: state == .published
        case .editors: state != .deleted
        }
    }
}

/// The last transition of a subject for an audience.
struct Transition {
    var sequence: Int64
    var kind: SubjectKind
    /// The number of the article or author.
    var subject: Int64
    /// The revision that the audience sees from then on, or the first that it does not see.
    var revision: Int
    /// Whether the subject left the audience's sight.
    var isDeparture: Bool
}

extension Transition {
    /// Reads the columns of `SQL.transitionsAfter`.
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
    fileprivate static let lastTransition: StaticString =
        "SELECT ifnull(max(sequence), 0) FROM transitions WHERE audience = ?1"
    fileprivate static let setTransition: StaticString = """
        INSERT INTO transitions (audience, sequence, kind, subject, revision, is_departure)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (audience, kind, subject) DO UPDATE SET sequence = excluded.sequence,
            revision = excluded.revision, is_departure = excluded.is_departure
        """
    /// Counts to 2.
    fileprivate static let publicArticles: StaticString = """
        SELECT count(*) FROM (SELECT 1 FROM listings WHERE facet = ?1 AND state = 1 LIMIT 2)
        """
    fileprivate static let authorByNumber: StaticString =
        "SELECT id, revision FROM authors WHERE number = ?1"
}

extension Snapshot {
    /// The number of the last transition for an audience; 0 if there is none.
    func lastTransition(for audience: TransitionAudience) throws(StoreError) -> Int64 {
        let row = try connection.statement(SQL.lastTransition)
        try row.bind(1, audience.rawValue)
        return try row.step() ? row.integer(0) : 0
    }

    /// The number of public articles of an author, at most 2.
    func publicArticles(ofAuthor number: Int64) throws(StoreError) -> Int {
        let row = try connection.statement(SQL.publicArticles)
        try row.bind(1, number)
        return try row.step() ? Int(row.integer(0)) : 0
    }
}

extension WriteStep {
    /// Records what a change of an article is for each audience, and the changes of authors that
    /// follow from it. The article is already listed in its new state.
    func recordTransitions(
        of article: Int64, revision: Int, at sequence: Int64,
        from before: (state: StoredState, content: StoredContent)?,
        to after: (state: StoredState, content: StoredContent)
    ) throws(StoreError) {
        for audience in TransitionAudience.allCases {
            let isSeen = audience.sees(after.state)
            // Otherwise a change that the audience does not see would replace a departure.
            guard isSeen || audience.sees(before?.state) else { continue }
            try record(
                Transition(
                    sequence: sequence, kind: .article, subject: article,
                    revision: revision, isDeparture: !isSeen), for: audience)
        }
        let wasPublic = TransitionAudience.everyone.sees(before?.state)
        let isPublic = TransitionAudience.everyone.sees(after.state)
        try recordTransitions(
            ofAuthors: wasPublic ? before?.content.authors ?? [] : [],
            to: isPublic ? after.content.authors : [])
    }

    /// Records what a change of an author's own content is for each audience.
    func recordTransitions(
        ofAuthor number: Int64, revision: Int, at sequence: Int64, isPublic: Bool
    ) throws(StoreError) {
        let transition = Transition(
            sequence: sequence, kind: .author, subject: number,
            revision: revision, isDeparture: false)
        try record(transition, for: .editors)
        if isPublic { try record(transition, for: .everyone) }
    }

    /// Authors are public with their first public article and until their last one: each
    /// appearance and departure is a change with a number of its own, directly after that of the
    /// article.
    private func recordTransitions(
        ofAuthors before: [Int64], to after: [Int64]
    ) throws(StoreError) {
        guard before != after else { return }
        var examined = Set(before).intersection(after)
        for author in after where examined.insert(author).inserted {
            guard try state.publicArticles(ofAuthor: author) == 1 else { continue }
            try recordTransition(ofAuthor: author, isDeparture: false)
        }
        for author in before where examined.insert(author).inserted {
            guard try state.publicArticles(ofAuthor: author) == 0 else { continue }
            try recordTransition(ofAuthor: author, isDeparture: true)
        }
    }

    private func recordTransition(
        ofAuthor number: Int64, isDeparture: Bool
    ) throws(StoreError) {
        let row = try connection.statement(SQL.authorByNumber)
        try row.bind(1, number)
        guard try row.step() else { throw .corrupt("author \(number) is missing") }
        let revision = Int(row.integer(1))
        let sequence = try recordChange(
            of: .author(try row.identifier(0)), number: number, revision: revision,
            isDeletion: false, isPublic: true)
        try record(
            Transition(
                sequence: sequence, kind: .author, subject: number,
                revision: revision, isDeparture: isDeparture), for: .everyone)
    }

    /// Replaces the subject's last transition for an audience.
    private func record(
        _ transition: Transition, for audience: TransitionAudience
    ) throws(StoreError) {
        let row = try connection.statement(SQL.setTransition)
        try row.bind(1, audience.rawValue)
        try row.bind(2, transition.sequence)
        try row.bind(3, transition.kind.rawValue)
        try row.bind(4, transition.subject)
        try row.bind(5, transition.revision)
        try row.bind(6, transition.isDeparture ? 1 : 0)
        try row.run()
    }
}
