public import ArticleAPI
import ArticleClient
public import ArticleOffline

/// States of stored articles and of the outbox, which only a store makes otherwise.
extension CachedArticle {
    /// A stored article.
    ///
    /// ```swift
    /// let unsent = CachedArticle.sample(pending: .waiting(until: nil))
    /// let listed = CachedArticle.sample(.sample(body: nil), knowing: .inLists)
    /// ```
    ///
    /// - Parameters:
    ///   - article: with the unsent writes, if there are any.
    ///   - known: the attributes that the store knows; `.inLists` for an article of which only
    ///     lists were seen.
    ///   - isPinned: true if it stays in the store.
    ///   - pending: the status of its unsent writes; `nil` if there are none.
    public static func sample(
        _ article: Article = .sample(), knowing known: AttributeSet<Article> = .inArticles,
        isPinned: Bool = false, pending: OutboxEntry.Status? = nil
    ) -> CachedArticle {
        CachedArticle(
            article: article, known: known, isPinned: isPinned, pending: pending,
            seenAt: article.updatedAt)
    }
}

extension OutboxEntry {
    /// A write in any status.
    ///
    /// ```swift
    /// let states: [OutboxEntry.Status] = [
    ///     .waiting(until: nil), .sending, .conflict(theirs: .sample(title: "Wheat bread")),
    ///     .needsConfirmation, .rejected(Problem(.forbidden)),
    /// ]
    /// let entries = states.enumerated().map { number, status in
    ///     OutboxEntry.sample(number: number, status: status)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - number: entries that are shown together need different ones.
    ///   - write: the write.
    ///   - base: the article that it changes, as its user saw it; `nil` for a new one.
    ///   - status: the state of the write.
    public static func sample(
        number: Int = 1,
        _ write: PendingWrite = .update(Article.Changes(title: .set("Rye bread in two days"))),
        to base: Article? = .sample(), status: Status = .waiting(until: nil)
    ) -> OutboxEntry {
        let wasSent =
            switch status {
            case .waiting(until: nil): false
            case .waiting, .sending, .conflict, .needsConfirmation, .rejected: true
            }
        var created: Article.ID?
        if case .create(let draft) = write { created = draft.id }
        return OutboxEntry(
            number: number, article: base?.id ?? created ?? .sample(), write: write, base: base,
            key: "sample-\(number)", account: "\(User.sample().id)", createdAt: .sample(),
            firstSentAt: wasSent ? .sample() : nil, attempts: wasSent ? 1 : 0, status: status)
    }

    /// An edit or a deletion that meets somebody else's.
    ///
    /// ```swift
    /// let entry = OutboxEntry.conflict(
    ///     mine: .sample(title: "Rye bread in two days"), theirs: .sample(title: "Sourdough"))
    /// ```
    ///
    /// - Parameters:
    ///   - number: entries that are shown together need different ones.
    ///   - base: the article before both.
    ///   - mine: the article as the user has edited it; `nil` if the user has deleted it.
    ///   - theirs: the article as the backend has it; `nil` if somebody else has deleted it.
    public static func conflict(
        number: Int = 1, from base: Article = .sample(), mine: Article?, theirs: Article?
    ) -> OutboxEntry {
        let write = mine.map { PendingWrite.update(Article.Changes(from: base, to: $0)) }
        return .sample(
            number: number, write ?? .delete, to: base, status: .conflict(theirs: theirs))
    }
}

extension OutboxState {
    /// The state of an outbox with these entries.
    ///
    /// - Parameters:
    ///   - entries: everything that is not done, in the order in which it was written.
    ///   - pause: the reason why nothing is sent; `nil` if writes are sent.
    ///   - unreadable: the number of writes of a newer version of the app.
    public static func sample(
        _ entries: [OutboxEntry] = [], pause: Pause? = nil, unreadable: Int = 0
    ) -> OutboxState {
        OutboxState(entries: entries, pause: pause, unreadable: unreadable)
    }
}

extension ArticleMirror.State {
    /// One of each state.
    public static let samples: [ArticleMirror.State] = [
        .idle, .initial(fraction: nil), .initial(fraction: 0.4), .catchingUp, .live,
        .waiting(until: .sample(), because: .offline("there is no network")), .paused(.lowPower),
        .paused(.constrained), .paused(.suspended), .full,
    ]
}
