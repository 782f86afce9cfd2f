public import ArticleAPI

/// A request whose responses say something about models, which a store remembers.
///
/// A request for a model, or for a list of models, needs one line. Its responses are merged into
/// the models of the store, and the last one is kept with its order, so that the request also has a
/// response without a network, made of the newest facts.
///
/// ```swift
/// extension FetchNotesRequest: CacheableRequest {}
/// ```
///
/// That is also true of any other response with a form in JSON, which is kept as a whole. A request
/// about one model is a ``ModelRequest``, and one that says more of its responses has functions of
/// its own.
///
/// ```swift
/// extension FetchDraftsRequest: CacheableRequest {
///     func updates(in page: Page<Article>, seenAt time: Timestamp) -> [ModelUpdate] {
///         page.items.map { .facts(ModelFacts($0, knowing: .inLists, seenAt: time)) }
///     }
/// }
/// ```
public protocol CacheableRequest: BackendAPIRequest {
    /// Returns the updates of a response.
    ///
    /// - Parameters:
    ///   - item: the decoded item.
    ///   - time: the time at which the request was sent.
    func updates(in item: Item, seenAt time: Timestamp) -> [ModelUpdate]

    /// Returns the updates that follow if the backend did not find the subject of the request
    /// (`not-found`).
    ///
    /// - Parameters:
    ///   - store: the store of known models.
    ///   - time: the time at which the request was sent.
    func updatesForMissing(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(OfflineError) -> [ModelUpdate]

    /// True if a cached response may be used for items that the store does not know. It may be
    /// older than the store's knowledge, for example that an article was deleted.
    var usesCachedResponses: Bool { get }

    /// The item as it is known; `nil` if something is unknown that the request asks for.
    func cached(in store: ModelStore) async throws(OfflineError) -> CachedItem<Item>?
}

extension CacheableRequest {
    public var usesCachedResponses: Bool { true }

    /// Nothing.
    public func updatesForMissing(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(OfflineError) -> [ModelUpdate] { [] }

    /// Nothing is known.
    public func cached(
        in store: ModelStore
    ) async throws(OfflineError) -> CachedItem<Item>? { nil }
}

/// An item made of known attributes, and their age. See ``CacheableRequest``.
public struct CachedItem<Item: Sendable>: Sendable {
    public let item: Item
    /// The time at which the oldest part of it was last seen.
    public let seenAt: Timestamp

    public init(_ item: Item, seenAt: Timestamp) {
        self.item = item
        self.seenAt = seenAt
    }
}
