public import ArticleAPI

/// An update of one model from a response: some of its attributes, or its removal.
///
/// ```swift
/// let facts = ModelFacts(article, knowing: .inArticles, seenAt: time)
/// let removal = ModelUpdate.removed(Article.self, deleted, .gone(revision: 4))
/// try await store.merge([.facts(facts), removal])
/// ```
public struct ModelUpdate: Sendable {
    let content: any UpdateContent

    /// The attributes in a response, which may be those of a model of any registered type.
    public static func facts<Model>(_ facts: ModelFacts<Model>) -> ModelUpdate {
        ModelUpdate(content: FactsUpdate(facts: facts))
    }

    /// The removal of a model.
    ///
    /// - Parameters:
    ///   - type: the type of the model.
    ///   - id: its id.
    ///   - reason: the reason for its removal.
    public static func removed<Model: StorableModel>(
        _ type: Model.Type, _ id: Model.ID, _ reason: RemovalReason
    ) -> ModelUpdate {
        ModelUpdate(content: RemovalUpdate<Model>(id: id, reason: reason))
    }

    /// The update by which a store keeps the response to a request; none if it must not be kept.
    ///
    /// - Parameters:
    ///   - request: a request that gets something.
    ///   - type: the name of the models' type; empty for a response without models.
    ///   - ids: the ids of the models, in their order.
    ///   - rest: the response without the models.
    ///   - time: the time at which the request was sent.
    static func response(
        to request: some BackendAPIRequest, type: String = "", ids: [[UInt8]] = [], rest: [UInt8],
        seenAt time: Timestamp
    ) -> [ModelUpdate] {
        guard let key = StoredResponse.key(of: request) else { return [] }
        let response = StoredResponse(key: key, type: type, ids: ids, rest: rest, seenAt: time)
        return [ModelUpdate(content: ResponseUpdate(response: response))]
    }

    /// The reason why a model is no longer shown.
    public enum RemovalReason: Sendable, Hashable {
        /// As of this revision, the backend does not have it, or does not show it to the account.
        case gone(revision: Int)
        /// As of this revision, it does not match a filter, or is gone; which one is not known.
        case unmatched(revision: Int)
        /// A request that was sent at this time did not find it.
        case notFound(seenAt: Timestamp)
        /// A request that was sent at this time has deleted it, at this revision or, if that is
        /// `nil`, at an unknown one.
        case deleted(from: Int?, seenAt: Timestamp)
    }
}

/// The content of an update, without the type of its model.
protocol UpdateContent: Sendable {
    /// The model that it is about; `nil` if it is about a response.
    var key: ModelKey? { get }
    var isRemoval: Bool { get }

    /// Returns true if it changes something. Of facts that change nothing, newer times are kept.
    func isUpdate(of engine: StoreEngine) throws(OfflineError) -> Bool

    /// Merges it, in a transaction.
    func merge(into engine: StoreEngine, _ context: MergeContext) throws(OfflineError)

    /// Returns the number of its model's type, in a transaction.
    func kind(in engine: StoreEngine) throws(OfflineError) -> Int
}

/// The circumstances of a merge.
struct MergeContext {
    /// The present time.
    var time: Timestamp
    /// True if the backend has begun another history, of which the response is.
    var isRestart = false
    /// True if it is the response to a write of the outbox.
    var isOwn = false
}

/// A model of any type: the name of the type, and the id as bytes.
package struct ModelKey: Sendable, Hashable {
    package let type: String
    package let id: [UInt8]

    package init<Model: StorableModel>(_ type: Model.Type, _ id: Model.ID) {
        self.type = Model.storedForm.name
        self.id = id.storedBytes
    }

    init(type: String, id: [UInt8]) {
        self.type = type
        self.id = id
    }

    /// True if it is an article.
    var isArticle: Bool { type == Article.storedForm.name }
}

struct FactsUpdate<Model: StorableModel>: UpdateContent {
    let facts: ModelFacts<Model>

    var key: ModelKey? { ModelKey(Model.self, facts.id) }
    var isRemoval: Bool { false }

    @_specialize(where Model == Article)
    func isUpdate(of engine: StoreEngine) throws(OfflineError) -> Bool {
        try engine.isUpdate(facts)
    }

    @_specialize(where Model == Article)
    func merge(into engine: StoreEngine, _ context: MergeContext) throws(OfflineError) {
        try engine.merge(facts, context)
    }

    func kind(in engine: StoreEngine) throws(OfflineError) -> Int {
        try engine.table(Model.self).kindMade(in: engine.connection)
    }
}

private struct RemovalUpdate<Model: StorableModel>: UpdateContent {
    let id: Model.ID
    let reason: ModelUpdate.RemovalReason

    var key: ModelKey? { ModelKey(Model.self, id) }
    var isRemoval: Bool { true }

    func isUpdate(of engine: StoreEngine) throws(OfflineError) -> Bool { true }

    func merge(into engine: StoreEngine, _ context: MergeContext) throws(OfflineError) {
        try engine.remove(Model.self, id, reason, context)
    }

    func kind(in engine: StoreEngine) throws(OfflineError) -> Int {
        try engine.table(Model.self).kindMade(in: engine.connection)
    }
}

private struct ResponseUpdate: UpdateContent {
    let response: StoredResponse

    var key: ModelKey? { nil }
    var isRemoval: Bool { false }

    func isUpdate(of engine: StoreEngine) throws(OfflineError) -> Bool {
        try engine.isUpdate(response)
    }

    func merge(into engine: StoreEngine, _ context: MergeContext) throws(OfflineError) {
        try engine.merge(response)
    }

    func kind(in engine: StoreEngine) throws(OfflineError) -> Int { StoreSchema.responseKind }
}

extension AttributeSet<Article> {
    /// The attributes of responses with one article, unless `fields` selects others.
    public static var inArticles: Self { all.subtracting(["bodyHTML", "commentCount"]) }
}

extension SyncChange<Article> {
    /// Returns the update of a change; `nil` for one of a newer backend.
    ///
    /// - Parameters:
    ///   - known: the attributes of articles that were requested.
    ///   - isFiltered: true if articles that do not match a filter are missing.
    ///   - time: the time at which the page was requested.
    func update(
        knowing known: AttributeSet<Article>, isFiltered: Bool, seenAt time: Timestamp
    ) -> ModelUpdate? {
        switch self {
        case .putArticle(let article, _):
            .facts(ModelFacts(article, knowing: known, seenAt: time))
        case .deleteArticle(let id, let revision):
            .removed(
                Article.self, id,
                isFiltered ? .unmatched(revision: revision) : .gone(revision: revision))
        case .putAuthor(let author): .facts(ModelFacts(author, knowing: .all, seenAt: time))
        case .deleteAuthor(let id, let revision):
            .removed(Author.self, id, .gone(revision: revision))
        case .putComment(let comment):
            .facts(ModelFacts(comment, knowing: .inLists, seenAt: time))
        case .deleteComment(let id, let revision):
            .removed(ArticleComment.self, id, .gone(revision: revision))
        case .putBookmark(let bookmark):
            .facts(ModelFacts(bookmark, knowing: .all, seenAt: time))
        case .deleteBookmark(let id, let revision):
            .removed(Bookmark.self, id, .gone(revision: revision))
        case .unknown: nil
        }
    }
}
