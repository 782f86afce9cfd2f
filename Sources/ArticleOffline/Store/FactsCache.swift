import ArticleAPI

/// The facts that were used last, up to a limit in bytes.
///
/// They are kept in two generations: when the young ones take half of the limit, they become the
/// old ones, and those that were old and not used since are dropped.
struct FactsCache<Model: StorableModel> {
    private let limitBytes: Int
    private var young: [Model.ID: ModelFacts<Model>] = [:]
    private var old: [Model.ID: ModelFacts<Model>] = [:]
    private var youngBytes = 0

    init(limitBytes: Int) { self.limitBytes = limitBytes }

    mutating func facts(_ id: Model.ID) -> ModelFacts<Model>? {
        if let found = young[id] { return found }
        guard let found = old.removeValue(forKey: id) else { return nil }
        insert(found)
        return found
    }

    mutating func insert(_ new: ModelFacts<Model>) {
        let facts = new.withoutResponse
        old[facts.id] = nil
        let former = young.updateValue(facts, forKey: facts.id)
        youngBytes += facts.size - (former?.size ?? 0)
        guard youngBytes > limitBytes / 2 else { return }
        (old, young, youngBytes) = (young, [:], 0)
    }

    mutating func remove(_ id: Model.ID) {
        old[id] = nil
        if let former = young.removeValue(forKey: id) { youngBytes -= former.size }
    }

    mutating func removeAll() { (old, young, youngBytes) = ([:], [:], 0) }
}
