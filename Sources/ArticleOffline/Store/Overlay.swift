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
}
