package import ArticleAPI

/// The changes of one transaction: all are made, or none.
package struct StoreChanges: Sendable {
    /// The updates from responses, in their order.
    package var updates: [ModelUpdate]
    /// Entries of the outbox to store, new ones and changed ones. They survive a power cut.
    package var writes: [StoredWrite]
    /// The numbers of entries to remove.
    package var finishedWrites: [Int]

    package init(
        updates: [ModelUpdate] = [], writes: [StoredWrite] = [], finishedWrites: [Int] = []
    ) {
        self.updates = updates
        self.writes = writes
        self.finishedWrites = finishedWrites
    }

    var concernsOutbox: Bool { !writes.isEmpty || !finishedWrites.isEmpty }
}

/// An entry of the outbox, as it is stored.
package struct StoredWrite: Sendable, Hashable {
    /// Entries are ordered by it.
    package var number: Int
    /// The article that it is about; `nil` for none.
    package var article: Article.ID?
    /// True if it changes the article.
    package var isEdit: Bool
    /// As JSON.
    package var entry: [UInt8]

    package init(number: Int, article: Article.ID?, isEdit: Bool = true, entry: [UInt8]) {
        self.number = number
        self.article = article
        self.isEdit = isEdit
        self.entry = entry
    }
}

/// The stored position of a mirror.
package struct StoredMirror: Sendable, Hashable {
    /// The mirrored filter, as text.
    package var filter: String
    /// The token of its next page; `nil` before the first.
    package var token: String?
    /// True if a whole snapshot has arrived since it last started again.
    package var isComplete: Bool
    /// The number of its articles from the snapshot that arrives or has arrived.
    package var members: Int
}

/// The position of a mirror at the request of a page. Pages of several callers, or processes, are
/// only stored in their order.
package struct MirrorPosition: Sendable, Hashable {
    package let filter: String
    package let token: String?

    package init(_ mirror: StoredMirror) {
        filter = mirror.filter
        token = mirror.token
    }
}

/// A page of changes for a mirror.
package struct MirrorPage: Sendable {
    package var page: ChangePage<Article>
    /// The required position of the mirror; `nil` for any.
    package var position: MirrorPosition?
    /// The attributes that were requested.
    package var known: AttributeSet<Article>
    /// True if articles that do not match a filter are missing.
    package var isFiltered: Bool
    /// The time as of which it is.
    package var seenAt: Timestamp
    /// The latest time at which it may have been requested; `nil` if it need not confirm writes of
    /// the outbox.
    package var requestedAt: Timestamp?
    /// For a last page, the values to remove articles that the mirror should have and does not;
    /// `nil` to keep them.
    package var whole: Whole?

    /// With the last page, a mirror has everything that matches its filter. Other articles that
    /// match, and were last seen before the page was requested, are not shown by the backend.
    package struct Whole: Sendable {
        package let query: ArticleQuery
        package let asOf: Timestamp

        package init(query: ArticleQuery, asOf time: Timestamp) {
            self.query = query
            asOf = time
        }
    }

    package init(
        _ page: ChangePage<Article>, knowing known: AttributeSet<Article>, isFiltered: Bool,
        seenAt: Timestamp
    ) {
        self.page = page
        self.known = known
        self.isFiltered = isFiltered
        self.seenAt = seenAt
    }
}

/// The topics that can be observed.
package enum StoreTopic: Sendable, Hashable {
    case model(ModelKey)
    /// Lists of models of the type with this name, and responses with them.
    case models(String)
    case comments(Article.ID)
    case outbox
    /// The value with this key.
    case value(String)
    case mirror(String)

    static func model<Model: StorableModel>(_ type: Model.Type, _ id: Model.ID) -> StoreTopic {
        .model(ModelKey(type, id))
    }

    static func models<Model: StorableModel>(_ type: Model.Type) -> StoreTopic {
        .models(Model.storedForm.name)
    }
}
