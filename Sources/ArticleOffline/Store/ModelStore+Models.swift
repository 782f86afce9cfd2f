import ArticleAPI

/// Models of any registered type, as they are known from responses. Of articles, these have
/// neither unsent writes nor the newest names; `loadArticle` has both.
///
/// ```swift
/// let note = try await store.load(Note.self, 7)
/// let newest = try await store.loadAll(Note.self, limit: 20)
/// ```
extension ModelStore {
    /// Returns the known model; `nil` if an attribute that it cannot do without is unknown, or it
    /// was removed.
    public func load<Model: StorableModel>(
        _ type: Model.Type, _ id: Model.ID
    ) throws(OfflineError) -> Model? {
        try loadFacts(type, id)?.model()
    }

    /// Returns everything that is known of a model, which may be a part of it; `nil` for nothing.
    public func loadFacts<Model: StorableModel>(
        _ type: Model.Type, _ id: Model.ID
    ) throws(OfflineError) -> ModelFacts<Model>? {
        try reading { () throws(OfflineError) in
            try engine.table(type).facts(id, in: engine.connection)
        }
    }

    /// Returns the known models of a type, those that became known last first.
    public func loadAll<Model: StorableModel>(
        _ type: Model.Type, limit: Int = 100
    ) throws(OfflineError) -> [Model] {
        try reading { () throws(OfflineError) in
            let table = engine.table(type)
            var models: [Model] = []
            for id in try table.ids(limit: max(limit, 0), in: engine.connection) {
                guard let facts = try table.facts(id, in: engine.connection) else { continue }
                if let model = facts.model() { models.append(model) }
            }
            return models
        }
    }

    /// The model as it is known, and then again after each change; `nil` while it is not known.
    public nonisolated func model<Model: StorableModel & Equatable>(
        _ type: Model.Type, _ id: Model.ID
    ) -> StoreUpdates<Model?> {
        updates(of: .model(type, id)) { (store) throws(OfflineError) in
            try await store.load(type, id)
        }
    }

    /// The known models of a type, and then again after each change.
    public nonisolated func models<Model: StorableModel & Equatable>(
        _ type: Model.Type, limit: Int = 100
    ) -> StoreUpdates<[Model]> {
        updates(of: .models(type)) { (store) throws(OfflineError) in
            try await store.loadAll(type, limit: limit)
        }
    }

    // MARK: Responses

    /// The last response to a request, with what is known of its models; `nil` if there is none.
    func response<Model: StorableModel>(
        to request: some BackendAPIRequest, of type: Model.Type
    ) throws(OfflineError) -> (response: StoredResponse, models: [ModelFacts<Model>])? {
        guard let response = try response(to: request, named: Model.storedForm.name) else {
            return nil
        }
        return try reading { () throws(OfflineError) in
            let table = engine.table(type)
            var models: [ModelFacts<Model>] = []
            for bytes in response.ids {
                guard let id = Model.ID(storedBytes: bytes),
                    let facts = try table.facts(id, in: engine.connection)
                else { continue }
                models.append(facts)
            }
            return (response, models)
        }
    }

    /// The last response to a request, with models of the type with this name; empty for one
    /// without models.
    func response(
        to request: some BackendAPIRequest, named type: String
    ) throws(OfflineError) -> StoredResponse? {
        guard let key = StoredResponse.key(of: request) else { return nil }
        let found = try reading { () throws(OfflineError) in try engine.response(key) }
        return found?.type == type ? found : nil
    }
}
