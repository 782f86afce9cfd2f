public import ArticleAPI

/// A comment as a store knows it, or one that its user has written and that was not sent yet.
///
/// ```swift
/// for cached in try await store.loadComments(on: id) {
///     show(cached.comment, isSent: cached.pending == nil)
/// }
/// ```
public struct CachedComment: Sendable, Hashable, Identifiable {
    /// An unsent one has the status `pending`, no author, and the time at which it was written.
    public let comment: ArticleComment
    /// The status of an unsent comment; `nil` for one that the backend has.
    public let pending: OutboxEntry.Status?

    /// The time at which it was last seen.
    let seenAt: Timestamp

    public var id: ArticleComment.ID { comment.id }

    /// Returns true if both are the same, regardless of the time at which they were last seen.
    public static func == (one: Self, other: Self) -> Bool {
        one.comment == other.comment && one.pending == other.pending
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(comment) }
}
