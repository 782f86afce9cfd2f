public import ArticleAPI

/// Removes old history in steps, each of which is short, so that no other write waits for long.
///
/// Of several processes, only the leader may do it. Safe to use from any thread.
///
/// ```swift
/// var walk = RetentionProgress()
/// while !walk.isComplete { walk = try await store.removeHistory(rules, at: time, walk) }
/// ```
public protocol RetentionRepository: Sendable {
    /// Takes one step of a walk over the whole store: removes some of the revisions and articles
    /// that the rules do not keep, and renderings, tags, languages, sources and actors that nothing
    /// uses any more.
    ///
    /// Of an article that was deleted too long ago, nothing is left but its id. Clients that have
    /// not followed the changes until its deletion have to begin again.
    func removeHistory(
        _ rules: RetentionRules, at time: Timestamp, _ walk: RetentionProgress
    ) async throws(StoreError) -> RetentionProgress
}

/// The progress of a walk that removes old history. See ``RetentionRepository``.
public struct RetentionProgress: Sendable, Hashable {
    /// The numbers of revisions and deleted articles that the walk has removed.
    public package(set) var revisions = 0
    public package(set) var articles = 0
    package var phase = Phase.renderings

    public init() {}

    public var isComplete: Bool { phase == .end }

    package enum Phase: Sendable, Hashable {
        case renderings
        /// The deleted articles after this place.
        case deleted(after: ArticlePosition?)
        /// The histories of the articles after this one.
        case histories(after: Int64)
        /// These revisions of an article.
        case thinning(Int64, [Int])
        case listings
        /// Tags of which no revision up to a row is, as of a change of the store.
        case tags(Set<Int64>, after: Int64, since: Int64)
        /// The actors after this one.
        case actors(after: Int64)
        case end
    }
}
