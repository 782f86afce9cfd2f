import ArticleAPI

/// The effect of unsent writes on values that are read.
enum Overlay {
    /// Returns the article as it will be when the writes were sent, and their status.
    ///
    /// An entry that cannot be read shows nothing; the outbox reports it.
    static func apply(
        _ writes: [StoredWrite], to article: Article?
    ) -> (article: Article?, pending: OutboxEntry.Status?) {
        guard !writes.isEmpty else { return (article, nil) }
        let entries = writes.compactMap { try? OutboxEntry(mapping: $0.entry) }
        return (entries.overlay(on: article), entries.pending)
    }

    /// Returns the comments that the writes create and the backend has not rejected, as they will
    /// probably be.
    static func comments(in writes: [StoredWrite]) -> [CachedComment] {
        writes.compactMap { write in
            guard let entry = try? OutboxEntry(mapping: write.entry), !entry.isRejected,
                let request = entry.request(as: CreateCommentRequest.self),
                let id = request.comment.id
            else { return nil }
            let comment = ArticleComment(
                id: id, articleID: request.articleID, parentID: request.comment.parentID,
                body: request.comment.body, status: .pending, createdAt: entry.createdAt,
                updatedAt: entry.createdAt)
            return CachedComment(
                comment: comment, pending: entry.status, seenAt: entry.createdAt)
        }
    }
}
