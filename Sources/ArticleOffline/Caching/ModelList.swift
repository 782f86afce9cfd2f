public import ArticleAPI

/// A response that is a list of models, such as a page or an array.
///
/// One of your own says where its models are.
///
/// ```swift
/// extension Notebook: ModelList {
///     var models: [Note] {
///         get { notes }
///         set { notes = newValue }
///     }
/// }
/// ```
public protocol ModelList: JSONRepresentable {
    associatedtype Model: StorableModel

    /// The models in their order. A store sets newer ones, of which some may be missing.
    var models: [Model] { get set }
}

extension Page: ModelList where Item: StorableModel {
    public var models: [Item] {
        get { items }
        set { items = newValue }
    }
}

extension Array: ModelList where Element: StorableModel {
    public var models: [Element] {
        get { self }
        set { self = newValue }
    }
}

// MARK: - Requests that need one line

/// A request for a list: its models, and their order.
extension CacheableRequest where Item: ModelList {
    public func updates(in item: Item, seenAt time: Timestamp) -> [ModelUpdate] {
        var rest = item
        rest.models = []
        let ids = item.models.map(\.id.storedBytes)
        let response = ModelUpdate.response(
            to: self, type: Item.Model.storedForm.name, ids: ids, rest: rest.json(), seenAt: time)
        return item.models.map { .facts(ModelFacts($0, knowing: .inLists, seenAt: time)) }
            + response
    }

    /// The last response, with everything that is known of its models; without those that were
    /// removed.
    public func cached(
        in store: ModelStore
    ) async throws(OfflineError) -> CachedItem<Item>? {
        guard let (response, known) = try await store.response(to: self, of: Item.Model.self),
            var item = try? Item(mapping: response.rest)
        else { return nil }
        let models = known.compactMap { $0.model() }
        guard response.ids.isEmpty || !models.isEmpty else { return nil }
        item.models = models
        return CachedItem(item, seenAt: known.map(\.seenAt).min() ?? response.seenAt)
    }
}

/// A request for a model.
extension CacheableRequest where Item: StorableModel {
    public func updates(in item: Item, seenAt time: Timestamp) -> [ModelUpdate] {
        let response = ModelUpdate.response(
            to: self, type: Item.storedForm.name, ids: [item.id.storedBytes], rest: [],
            seenAt: time)
        return [.facts(ModelFacts(item, knowing: .all, seenAt: time))] + response
    }

    /// The model of the last response is gone.
    public func updatesForMissing(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(OfflineError) -> [ModelUpdate] {
        guard let known = try await store.response(to: self, of: Item.self) else { return [] }
        return known.models.map { .removed(Item.self, $0.id, .notFound(seenAt: time)) }
    }

    /// Everything that is known of the model of the last response.
    public func cached(
        in store: ModelStore
    ) async throws(OfflineError) -> CachedItem<Item>? {
        let known = try await store.response(to: self, of: Item.self)?.models.first
        guard let known, let model = known.model() else { return nil }
        return CachedItem(model, seenAt: known.seenAt)
    }
}

/// A request for anything else, whose response is kept as a whole.
extension CacheableRequest where Item: JSONRepresentable {
    public func updates(in item: Item, seenAt time: Timestamp) -> [ModelUpdate] {
        ModelUpdate.response(to: self, rest: item.json(), seenAt: time)
    }

    public func cached(
        in store: ModelStore
    ) async throws(OfflineError) -> CachedItem<Item>? {
        guard let response = try await store.response(to: self, named: ""),
            let item = try? Item(mapping: response.rest)
        else { return nil }
        return CachedItem(item, seenAt: response.seenAt)
    }
}
