import ArticleAPI

/// The facts that were used last, up to a limit in bytes.
///
/// They are kept in two generations: when the young ones take half of the limit, they become the
/// old ones, and those that were old and not used since are dropped.
struct FactsCache<Model: StorableModel> {
    private struct Entry {
        var facts: ModelFacts<Model>
        /// The number of their row.
        var row: Int64
    }

    private let limitBytes: Int
    private var young: [Model.ID: Entry] = [:]
    private var old: [Model.ID: Entry] = [:]
    private var youngBytes = 0

    init(limitBytes: Int) { self.limitBytes = limitBytes }

    mutating func facts(_ id: Model.ID) -> ModelFacts<Model>? {
        if let found = young[id] { return found.facts }
        guard let found = old.removeValue(forKey: id) else { return nil }
        insert(found.facts, row: found.row)
        return found.facts
    }

    /// The number of the row of cached facts.
    func row(of id: Model.ID) -> Int64? { (young[id] ?? old[id])?.row }

    mutating func insert(_ facts: ModelFacts<Model>, row: Int64) {
        if !old.isEmpty { old[facts.id] = nil }
        let entry = Entry(facts: facts.withoutResponse, row: row)
        let former = young.updateValue(entry, forKey: facts.id)
        youngBytes += facts.size - (former?.facts.size ?? 0)
        guard youngBytes > limitBytes / 2 else { return }
        (old, young, youngBytes) = (young, [:], 0)
    }

    mutating func remove(_ id: Model.ID) {
        old[id] = nil
        if let former = young.removeValue(forKey: id) { youngBytes -= former.facts.size }
    }

    mutating func removeAll() { (old, young, youngBytes) = ([:], [:], 0) }
}
