import ArticleAPI
import BroadsheetSQLite

/// The known facts of the models of one type: in memory those that were used last, and all in the
/// file.
final class ModelTable<Model: MergeableModel> where Model.ID == Identifier<Model> {
    /// The changes that merging facts would make.
    enum Outcome {
        case nothing
        /// Only the times at which the attributes were seen.
        case times(ModelFacts<Model>)
        case values(ModelFacts<Model>, AttributeSet<Model>)
    }

    /// The number of the type in the file.
    let kind: Int
    private var cache: FactsCache<Model>
    /// Facts with newer times than in the file. They are written with the next commit, as a
    /// repeated response must not cost one.
    private(set) var deferred: [Model.ID: ModelFacts<Model>] = [:]
    /// This app's places of the attributes of the shapes whose numbers rows have.
    private var shapes: [Int64: [Int?]] = [:]
    private var ownShape: Int64?
    /// The time at which a backend last reported that its history is another one.
    var resetAt: Timestamp?

    init(_ kind: Int, memoryBytes: Int) {
        self.kind = kind
        cache = FactsCache(limitBytes: memoryBytes)
    }

    // MARK: Reading

    /// Returns the known facts; `nil` for none, or for a row that cannot be read.
    func facts(
        _ id: Model.ID, in connection: DatabaseConnection
    ) throws(ModelStoreError) -> ModelFacts<Model>? {
        if let found = cache.facts(id) { return found }
        let row = try connection.statement(
            "SELECT shape, facts FROM models WHERE kind = ?1 AND id = ?2")
        try row.bind(1, kind)
        try row.bind(2, id)
        guard try row.step(), let places = try places(of: row.integer(0), in: connection),
            var facts = ModelFacts<Model>(id, stored: row.bytes(1), places: places)
        else { return nil }
        if let newer = deferred[id] { facts.merge(newer) }
        cache.insert(facts)
        return facts
    }

    private func places(
        of shape: Int64, in connection: DatabaseConnection
    ) throws(ModelStoreError) -> [Int?]? {
        if let known = shapes[shape] { return known }
        let row = try connection.statement("SELECT names FROM shapes WHERE number = ?1")
        try row.bind(1, shape)
        guard try row.step() else { return nil }
        let names = row.text(0).split(separator: ",").map(String.init)
        let places = ModelFacts<Model>.places(of: names)
        shapes[shape] = places
        return places
    }

    /// Returns the changes that merging would make.
    ///
    /// - Parameters:
    ///   - news: the facts in a response.
    ///   - isAnew: true if the backend has begun another history, of which the response is.
    ///   - connection: the file.
    func outcome(
        of updates: ModelFacts<Model>, isRestart: Bool = false, in connection: DatabaseConnection
    ) throws(ModelStoreError) -> Outcome {
        let known = try facts(updates.id, in: connection)
        let order = known.map { HistoryOrder($0, updates, isRestart: isRestart, resetAt) } ?? .later
        if order == .earlier { return .nothing }
        if order == .same, var merged = known, merged.merge(updates).isEmpty, merged == known {
            return .nothing
        }
        var usable = updates
        if let ending = try Tombstone.load(kind, updates.id, from: connection) {
            guard
                let rest = updates.without({
                    ending.follows(revision: $0.revision, seenAt: $0.seenAt)
                })
            else { return .nothing }
            usable = rest
        }
        guard order == .same, var merged = known else {
            return .values(usable, usable.attributes)
        }
        let changed = merged.merge(usable)
        guard changed.isEmpty else { return .values(merged, changed) }
        return merged == known ? .nothing : .times(merged)
    }

    // MARK: Writing

    /// Keeps newer times until the next commit.
    func postpone(_ facts: ModelFacts<Model>) {
        deferred[facts.id] = facts
        cache.insert(facts)
    }

    /// The postponed facts were written.
    func forgetDeferred() { deferred = [:] }

    /// - Parameters:
    ///   - facts: all known facts of the model.
    ///   - connection: the file.
    ///   - keepsDeferred: true if newer times remain deferred until the commit.
    /// - Returns: the number of the row.
    func store(
        _ facts: ModelFacts<Model>, in connection: DatabaseConnection,
        keepsDeferred: Bool = false
    ) throws(ModelStoreError) -> Int64 {
        let bytes = facts.stored
        let row = try connection.statement(Self.upsert)
        try row.bind(1, kind)
        try row.bind(2, facts.id)
        try row.bind(3, try shape(in: connection))
        try row.bind(4, bytes)
        try row.bind(5, bytes.count + Self.overheadBytes)
        try row.bind(6, facts.seenAt)
        guard try row.step() else { throw .damaged("a model has no row") }
        let number = row.integer(0)
        while try row.step() {}
        cache.insert(facts)
        if !keepsDeferred { deferred[facts.id] = nil }
        return number
    }

    func remove(_ id: Model.ID, in connection: DatabaseConnection) throws(ModelStoreError) {
        forget(id)
        let row = try connection.statement("DELETE FROM models WHERE kind = ?1 AND id = ?2")
        try row.bind(1, kind)
        try row.bind(2, id)
        try row.run()
    }

    /// The row was removed.
    func forget(_ id: Model.ID) {
        cache.remove(id)
        deferred[id] = nil
    }

    /// Forgets values that another process may have changed.
    func forgetAll() {
        cache.removeAll()
        shapes = [:]
        ownShape = nil
    }

    /// An estimate of the size of a row besides its facts.
    private static var overheadBytes: Int { 400 }

    private static var upsert: String {
        """
        INSERT INTO models (kind, id, shape, facts, bytes, seen, holds)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6,
            (SELECT count(*) FROM members WHERE kind = ?1 AND id = ?2)
            + CASE ?1 WHEN 1 THEN (SELECT count(*) FROM pins WHERE article = ?2)
                + (SELECT count(*) FROM outbox WHERE article = ?2) ELSE 0 END)
        ON CONFLICT (kind, id) DO UPDATE SET
            shape = ?3, facts = ?4, bytes = ?5, seen = ?6
        RETURNING number
        """
    }

    /// The number of this app's attributes.
    private func shape(in connection: DatabaseConnection) throws(ModelStoreError) -> Int64 {
        if let ownShape { return ownShape }
        let names = ModelFacts<Model>.storedNames.joined(separator: ",")
        let add = try connection.statement(
            "INSERT OR IGNORE INTO shapes (kind, names) VALUES (?1, ?2)")
        try add.bind(1, kind)
        try add.bind(2, names)
        try add.run()
        let row = try connection.statement(
            "SELECT number FROM shapes WHERE kind = ?1 AND names = ?2")
        try row.bind(1, kind)
        try row.bind(2, names)
        guard try row.step() else { throw .damaged("the names of attributes have no row") }
        ownShape = row.integer(0)
        return row.integer(0)
    }
}
