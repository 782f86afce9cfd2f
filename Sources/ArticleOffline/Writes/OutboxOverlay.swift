public import ArticleAPI

/// The effect of unsent writes on an article.
extension Collection<OutboxEntry> {
    /// Returns the article as it will probably be once these writes, which are all of this article,
    /// are done; `nil` if it will not exist. Rejected writes have no effect, and neither have
    /// requests.
    ///
    /// - Parameter article: the backend's article, as far as it is known.
    public func overlay(on article: Article?) -> Article? {
        var article = article
        // In the order in which they are sent, whatever order they are stored in.
        for entry in sorted(by: { $0.number < $1.number }) where !entry.isRejected {
            switch entry.write {
            case .create(let draft):
                guard article == nil, let id = entry.article else { continue }
                article = Article(draft, id: id, at: entry.createdAt)
            case .update(let changes): article = (article ?? entry.base)?.applying(changes)
            case .delete: article = nil
            case .request: break
            }
        }
        return article
    }

    /// The status of these writes together: the one that most needs its user; `nil` if there are
    /// none.
    public var pending: OutboxEntry.Status? {
        self.min { $0.status.urgency < $1.status.urgency }?.status
    }
}

extension OutboxEntry.Status {
    fileprivate var urgency: Int {
        switch self {
        case .conflict: 0
        case .needsConfirmation: 1
        case .rejected: 2
        case .sending: 3
        case .waiting: 4
        }
    }
}
