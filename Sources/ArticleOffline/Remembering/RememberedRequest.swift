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
    /// What a response says.
    ///
    /// - Parameters:
    ///   - item: as it was decoded.
    ///   - time: when the request was sent.
    func news(in item: Item, seenAt time: Timestamp) -> [ModelNews]

    /// What it says that the backend did not find what the request names (`not-found`).
    ///
    /// - Parameters:
    ///   - store: what is known.
    ///   - time: when the request was sent.
    func newsOfAbsence(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(ModelStoreError) -> [ModelNews]

    /// Whether a cached response may be used for what the store does not know. It may be older than
    /// what the store knows, for example that an article was deleted.
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

/// An item made of what is known, and from when that is. See ``RememberedRequest``.
public struct RememberedItem<Item: Sendable>: Sendable {
    public let item: Item
    /// When the oldest part of it was last seen.
    public let seenAt: Timestamp

    public init(_ item: Item, seenAt: Timestamp) {
        self.item = item
        self.seenAt = seenAt
    }
}
