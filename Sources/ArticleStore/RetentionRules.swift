package import ArticleAPI

/// The limits of the history that a store keeps; everything by default.
///
/// ```swift
/// var rules = RetentionRules()
/// rules.revisions = 100
/// rules.revisionMilliseconds = 90 * RetentionRules.day
/// ```
public struct RetentionRules: Sendable, Hashable {
    /// The most revisions of an article, at least 1; `nil` for no limit.
    public var revisions: Int?
    /// The time for which a revision is kept after another one has replaced it.
    public var revisionMilliseconds: Int64?
    /// The time for which an article is kept after it was deleted.
    public var deletedMilliseconds: Int64?

    public init() {}

    /// 24 hours in milliseconds.
    public static let day: Int64 = 86_400_000
    /// Saves of one person are one piece of work if no more time is between them.
    package static let pieceMilliseconds: Int64 = 600_000
}

/// The facts that decide if a revision is kept.
package struct RevisionFacts: Sendable, Hashable {
    package var number: Int
    package var time: Timestamp
    /// The actor of the revision: the row of an actor, or a name.
    package var actor: Int64?
    package var editor: String?
    package var owner: UserRecord.ID?
    /// True if the public saw it.
    package var isPublished: Bool

    package init(
        number: Int, time: Timestamp, actor: Int64? = nil, editor: String? = nil,
        owner: UserRecord.ID? = nil, isPublished: Bool = false
    ) {
        self.number = number
        self.time = time
        self.actor = actor
        self.editor = editor
        self.owner = owner
        self.isPublished = isPublished
    }
}

extension RetentionRules {
    /// Returns the numbers of the revisions that are not kept.
    ///
    /// Those that were replaced too long ago go. Of the others, those above the limit go, the
    /// oldest first: at first those that their own author replaced within minutes, then the rest,
    /// but the last revisions of a day (UTC) and published ones go last, again first those replaced
    /// within minutes. The present revision stays, and the last one of each owner, which shows who
    /// saw the article.
    ///
    /// - Parameter history: The revisions in the order of numbers, from the oldest; the last one is
    ///   the present one, or the last of those that are looked at together.
    package func excess(in history: [RevisionFacts], at time: Timestamp) -> [Int] {
        var removed: Set<Int> = []
        var rest: [(rank: Int, number: Int)] = []
        for (revision, next) in zip(history, history.dropFirst())
        where revision.owner == next.owner {
            if let kept = revisionMilliseconds,
                time.milliseconds - next.time.milliseconds > kept
            {
                removed.insert(revision.number)
            } else {
                rest.append((Self.rank(of: revision, before: next), revision.number))
            }
        }
        if let limit = revisions {
            let excess = history.count - removed.count - max(limit, 1)
            rest.sort { ($0.rank, $0.number) < ($1.rank, $1.number) }
            for revision in rest.prefix(max(excess, 0)) { removed.insert(revision.number) }
        }
        return removed.sorted()
    }

    /// Revisions with a lower rank go first.
    private static func rank(of revision: RevisionFacts, before next: RevisionFacts) -> Int {
        let isLastOfDay = revision.time.milliseconds / day != next.time.milliseconds / day
        let isOfOnePiece =
            revision.actor == next.actor && revision.editor == next.editor
            && next.time.milliseconds - revision.time.milliseconds <= pieceMilliseconds
        return (revision.isPublished || isLastOfDay ? 2 : 0) + (isOfOnePiece ? 0 : 1)
    }
}
