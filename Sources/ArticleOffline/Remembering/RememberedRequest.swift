public import ArticleAPI

/// A request whose responses say something about models, which a store remembers.
///
/// ```swift
/// extension FetchDraftsRequest: RememberedRequest {
///     func news(in page: Page<Article>, seenAt time: Timestamp) -> [ModelNews] {
///         page.items.map { .article(ModelFacts($0, knowing: .inLists, seenAt: time)) }
///     }
/// }
/// ```
public protocol RememberedRequest: BackendAPIRequest {
    /// Returns the updates of a response.
    ///
    /// - Parameters:
    ///   - item: the decoded item.
    ///   - time: the time at which the request was sent.
    func news(in item: Item, seenAt time: Timestamp) -> [ModelNews]

    /// Returns the updates that follow if the backend did not find the subject of the request
    /// (`not-found`).
    ///
    /// - Parameters:
    ///   - store: the store of known models.
    ///   - time: the time at which the request was sent.
    func newsOfAbsence(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(ModelStoreError) -> [ModelNews]

    /// True if a cached response may be used for items that the store does not know. It may be
    /// older than the store's knowledge, for example that an article was deleted.
    var usesCachedResponses: Bool { get }

    /// The item as it is known; `nil` if something is unknown that the request asks for.
    func remembered(in store: ModelStore) async throws(ModelStoreError) -> RememberedItem<Item>?
}

extension RememberedRequest {
    public var usesCachedResponses: Bool { true }

    /// Nothing.
    public func newsOfAbsence(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(ModelStoreError) -> [ModelNews] { [] }

    /// Nothing is known.
    public func remembered(
        in store: ModelStore
    ) async throws(ModelStoreError) -> RememberedItem<Item>? { nil }
}

/// An item made of known attributes, and their age. See ``RememberedRequest``.
public struct RememberedItem<Item: Sendable>: Sendable {
    public let item: Item
    /// The time at which the oldest part of it was last seen.
    public let seenAt: Timestamp

    public init(_ item: Item, seenAt: Timestamp) {
        self.item = item
        self.seenAt = seenAt
    }
}
