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
        /// True if the row has exactly these facts, but for newer times.
        var isExact: Bool

        mutating func replace(by newer: ModelFacts<Model>, _ bytes: inout Int) -> Int64? {
            isExact = isExact && newer.isStored(like: facts)
            bytes += newer.size - facts.size
            facts = newer
            return isExact ? row : nil
        }
    }

    private let limitBytes: Int
    private var young: [Model.ID: Entry] = [:]
    private var old: [Model.ID: Entry] = [:]
    private var youngBytes = 0

    init(limitBytes: Int) { self.limitBytes = limitBytes }

    mutating func facts(_ id: Model.ID) -> ModelFacts<Model>? {
        if let found = young[id] { return found.facts }
        guard let found = old.removeValue(forKey: id) else { return nil }
        insert(found)
        return found.facts
    }

    /// The number of the row of cached facts.
    func row(of id: Model.ID) -> Int64? { (young[id] ?? old[id])?.row }

    /// Replaces facts that were used a moment ago by the same ones with newer times.
    ///
    /// - Returns: the number of their row, if these are exactly its facts, but for newer times.
    mutating func replace(by facts: ModelFacts<Model>) -> Int64? {
        guard let index = young.index(forKey: facts.id) else { return nil }
        return young.values[index].replace(by: facts, &youngBytes)
    }

    mutating func insert(_ facts: ModelFacts<Model>, row: Int64, isExact: Bool) {
        insert(Entry(facts: facts, row: row, isExact: isExact))
    }

    private mutating func insert(_ entry: Entry) {
        if !old.isEmpty { old[entry.facts.id] = nil }
        let former = young.updateValue(entry, forKey: entry.facts.id)
        youngBytes += entry.facts.size - (former?.facts.size ?? 0)
        guard youngBytes > limitBytes / 2 else { return }
        (old, young, youngBytes) = (young, [:], 0)
    }

    mutating func remove(_ id: Model.ID) {
        old[id] = nil
        if let former = young.removeValue(forKey: id) { youngBytes -= former.facts.size }
    }

    mutating func removeAll() { (old, young, youngBytes) = ([:], [:], 0) }
}
