public import ArticleAPI
import BroadsheetHTTP

/// A request about one model: it gets, changes or deletes it.
///
/// If it succeeds without content, as a deletion, or if the backend does not have the model (404,
/// 410), it is removed from the store. Without a network, a request that gets it has everything
/// that is known of it, whatever response it came in.
///
/// ```swift
/// extension FetchNoteRequest: ModelRequest {
///     var modelID: Int { id }
/// }
///
/// extension DeleteNoteRequest: ModelRequest {
///     typealias Model = Note
///     var modelID: Int { id }
/// }
/// ```
public protocol ModelRequest: CacheableRequest {
    /// The type of the model; that of the response, unless it is named.
    associatedtype Model: StorableModel = Item

    var modelID: Model.ID { get }
}

extension ModelRequest {
    /// A copy of the response may be older than the removal of the model.
    public var usesCachedResponses: Bool { false }

    public func updatesForMissing(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(OfflineError) -> [ModelUpdate] {
        [.removed(Model.self, modelID, .notFound(seenAt: time))]
    }
}

extension ModelRequest where Item == Model {
    public func updates(in item: Item, seenAt time: Timestamp) -> [ModelUpdate] {
        [.facts(ModelFacts(item, knowing: .all, seenAt: time))]
    }

    public func cached(
        in store: ModelStore
    ) async throws(OfflineError) -> CachedItem<Item>? {
        guard Self.endpoint.method == .get,
            let known = try await store.loadFacts(Model.self, modelID), let model = known.model()
        else { return nil }
        return CachedItem(model, seenAt: known.seenAt)
    }
}

extension ModelRequest where Item == NoContent {
    public func updates(in item: NoContent, seenAt time: Timestamp) -> [ModelUpdate] {
        guard Self.endpoint.method == .delete else { return [] }
        return [.removed(Model.self, modelID, .deleted(from: nil, seenAt: time))]
    }
}
