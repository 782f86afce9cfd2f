import ArticleAPI
import BroadsheetSQLite

/// A table without the type of its models.
protocol AnyModelTable: AnyObject {
    /// The name of the type.
    var type: String { get }
    /// The number of facts with newer times than in the file.
    var deferredCount: Int { get }

    /// The bytes of the rows that were added and are not in the totals.
    var addedBytes: Int { get }

    /// The rows are in the totals.
    func forgetAdded()

    /// Writes the newer times, in a transaction.
    func writeDeferred(in connection: DatabaseConnection) throws(OfflineError)

    /// The newer times were written.
    func forgetDeferred()

    /// The row of this id was removed.
    func forget(stored id: [UInt8])

    /// Forgets values that another process may have changed.
    func forgetAll()
}

/// The known facts of the models of one type: in memory those that were used last, and all in the
/// file.
final class ModelTable<Model: StorableModel>: AnyModelTable {
    /// The changes that merging facts would make.
    enum Outcome {
        case nothing
        /// Only the times at which the attributes were seen.
        case times(ModelFacts<Model>)
        /// The merged facts, the attributes that change, and the model's earlier removals.
        case values(ModelFacts<Model>, AttributeSet<Model>, Tombstone?)
    }

    var type: String { Model.storedForm.name }
    /// The number of the type in the file; `nil` while it is not known.
    private var knownKind: Int?
    private var cache: FactsCache<Model>
    /// Facts with newer times than in the file. They are written with the next commit, as a
    /// repeated response must not cost one.
    private var deferred: [Model.ID: DeferredFacts] = [:]
    /// This app's places of the attributes of the shapes whose numbers rows have.
    private var shapes: [Int64: [Int?]] = [:]
    private var ownShape: Int64?
    private(set) var addedBytes = 0
    /// False if no model of this type was removed, as in most stores; `nil` if that is not known.
    private var mayHaveTombstones: Bool?

    /// A model's row in the file.
    struct Row {
        let number: Int64
        let isNew: Bool
    }

    private struct DeferredFacts {
        var facts: ModelFacts<Model>
        /// Their row, if only the time at which they were seen is another one in the file.
        var timeRow: Int64?
    }

    init(memoryBytes: Int) { cache = FactsCache(limitBytes: memoryBytes) }

    // MARK: The type in the file

    /// Returns the number of the type in the file; `nil` if the file has none of it.
    func kind(in connection: DatabaseConnection) throws(OfflineError) -> Int? {
        if let knownKind { return knownKind }
        let row = try connection.statement("SELECT number FROM kinds WHERE name = ?1")
        try row.bind(1, type)
        knownKind = try row.step() ? row.number(0) : nil
        return knownKind
    }

    /// Returns the number of the type, which it gets if it has none. In a transaction.
    func kindMade(in connection: DatabaseConnection) throws(OfflineError) -> Int {
        if let known = try kind(in: connection) { return known }
        let row = try connection.statement("INSERT INTO kinds (name) VALUES (?1)")
        try row.bind(1, type)
        try row.run()
        guard let made = try kind(in: connection) else {
            throw .damaged("a type of models has no row")
        }
        return made
    }

    // MARK: Reading

    /// Returns the known facts; `nil` for none, or for a row that cannot be read.
    func facts(
        _ id: Model.ID, in connection: DatabaseConnection
    ) throws(OfflineError) -> ModelFacts<Model>? {
        if let found = cache.facts(id) { return found }
        guard let kind = try kind(in: connection) else { return nil }
        let row = try connection.statement(
            "SELECT shape, facts, seen, number FROM models WHERE kind = ?1 AND id = ?2")
        try row.bind(1, kind)
        try row.bind(2, id: id)
        guard try row.step(), let places = try places(of: row.integer(0), in: connection),
            var facts = ModelFacts<Model>(
                id, stored: row.bytes(1), seenAt: Timestamp(milliseconds: row.integer(2)),
                places: places)
        else { return nil }
        let newer = deferred[id]
        if let newer { facts.merge(newer.facts) }
        let isExact = row.integer(0) == ownShape && (newer == nil || newer?.timeRow != nil)
        cache.insert(facts, row: row.integer(3), isExact: isExact)
        return facts
    }

    private func places(
        of shape: Int64, in connection: DatabaseConnection
    ) throws(OfflineError) -> [Int?]? {
        if let known = shapes[shape] { return known }
        let row = try connection.statement("SELECT names FROM shapes WHERE number = ?1")
        try row.bind(1, shape)
        guard try row.step() else { return nil }
        let names = row.text(0).split(separator: ",").map(String.init)
        if names == ModelFacts<Model>.storedNames { ownShape = shape }
        let places = ModelFacts<Model>.places(of: names)
        shapes[shape] = places
        return places
    }

    /// Returns the changes that merging would make.
    ///
    /// - Parameters:
    ///   - updates: the facts in a response.
    ///   - known: the known facts of the model.
    ///   - isRestart: true if the backend has begun another history, of which the response is.
    ///   - resetAt: the time at which a backend last reported that its history is another one.
    ///   - connection: the file.
    func outcome(
        of updates: ModelFacts<Model>, _ known: ModelFacts<Model>?, isRestart: Bool = false,
        _ resetAt: Timestamp?, in connection: DatabaseConnection
    ) throws(OfflineError) -> Outcome {
        // It is of the same history, and no removal is later than what is known.
        if var confirmed = known, confirmed.confirm(by: updates) {
            return confirmed == known ? .nothing : .times(confirmed)
        }
        let order = known.map { HistoryOrder($0, updates, isRestart: isRestart, resetAt) } ?? .later
        if order == .earlier { return .nothing }
        var usable = updates
        let kind = try kind(in: connection)
        let ending = try kind.flatMap { kind throws(OfflineError) in
            try tombstone(of: updates.id, kind, in: connection)
        }
        if let ending {
            guard
                let rest = updates.without({
                    ending.follows(revision: $0.revision, seenAt: $0.seenAt)
                })
            else { return .nothing }
            usable = rest
        }
        guard order == .same, var merged = known else {
            return .values(usable, usable.attributes, ending)
        }
        let changed = merged.merge(usable)
        guard changed.isEmpty else { return .values(merged, changed, ending) }
        return merged == known ? .nothing : .times(merged)
    }

    /// Returns the model's earlier removals; `nil` if there are none.
    func tombstone(
        of id: Model.ID, _ kind: Int, in connection: DatabaseConnection
    ) throws(OfflineError) -> Tombstone? {
        if mayHaveTombstones == nil {
            mayHaveTombstones = try Tombstone.exists(kind, in: connection)
        }
        guard mayHaveTombstones == true else { return nil }
        return try Tombstone.load(kind, id, from: connection)
    }

    /// A model was removed.
    func noteTombstone() { mayHaveTombstones = true }

    /// The ids of all models, those that became known last first.
    func ids(
        limit: Int, in connection: DatabaseConnection
    ) throws(OfflineError) -> [Model.ID] {
        guard let kind = try kind(in: connection) else { return [] }
        let row = try connection.statement(
            "SELECT id FROM models WHERE kind = ?1 ORDER BY number DESC LIMIT ?2")
        try row.bind(1, kind)
        try row.bind(2, limit)
        var ids: [Model.ID] = []
        while try row.step() { ids.append(try row.id(0)) }
        return ids
    }

    // MARK: Writing

    /// Keeps newer times than the known ones until the next commit.
    func postpone(_ facts: ModelFacts<Model>) {
        deferred[facts.id] = DeferredFacts(facts: facts, timeRow: cache.replace(by: facts))
    }

    var deferredCount: Int { deferred.count }

    func writeDeferred(in connection: DatabaseConnection) throws(OfflineError) {
        var times: [SeenTime] = []
        for newer in deferred.values {
            if let row = newer.timeRow {
                times.append(SeenTime(row: row, time: newer.facts.seenAt))
                continue
            }
            // Another process may have removed or replaced it.
            guard var known = try self.facts(newer.facts.id, in: connection) else { continue }
            let changed = known.merge(newer.facts)
            guard changed.isEmpty else { continue }
            try store(known, isKnown: true, in: connection, keepsDeferred: true)
        }
        try SeenTime.store(times, in: connection)
    }

    /// Stores newer times than the known ones.
    func storeTimes(
        of facts: ModelFacts<Model>, in connection: DatabaseConnection
    ) throws(OfflineError) {
        guard let row = cache.replace(by: facts) else {
            try store(facts, isKnown: true, in: connection)
            return
        }
        deferred[facts.id] = nil
        try SeenTime.store([SeenTime(row: row, time: facts.seenAt)], in: connection)
    }

    func forgetDeferred() { deferred = [:] }

    /// - Parameters:
    ///   - facts: all known facts of the model.
    ///   - isKnown: true if the file has facts of the model, which these replace.
    ///   - connection: the file.
    ///   - keepsDeferred: true if newer times remain deferred until the commit.
    /// - Returns: the row.
    @discardableResult
    func store(
        _ facts: ModelFacts<Model>, isKnown: Bool, in connection: DatabaseConnection,
        keepsDeferred: Bool = false
    ) throws(OfflineError) -> Row {
        if !keepsDeferred { deferred[facts.id] = nil }
        var row = isKnown ? try update(facts, in: connection) : nil
        if row == nil { row = try add(facts, in: connection) }
        // A row that could not be read is known to nobody, but there.
        if row == nil { row = try update(facts, in: connection) }
        guard let row else { throw .damaged("a model has no row") }
        cache.insert(facts, row: row.number, isExact: true)
        return row
    }

    func forgetAdded() { addedBytes = 0 }

    /// Returns the former row; `nil` if there is none.
    private func update(
        _ facts: ModelFacts<Model>, in connection: DatabaseConnection
    ) throws(OfflineError) -> Row? {
        guard let number = try number(of: facts.id, in: connection) else { return nil }
        let shape = try shape(try kindMade(in: connection), in: connection)
        let bytes = facts.stored
        let row = try connection.statement(
            "UPDATE models SET shape = ?2, facts = ?3, bytes = ?4, seen = ?5 WHERE number = ?1")
        try row.bind(1, number)
        try row.bind(2, shape)
        try row.bind(3, bytes)
        try row.bind(4, bytes.count + StoreSchema.rowBytes)
        try row.bind(5, facts.seenAt)
        try row.run()
        return connection.changedRows > 0 ? Row(number: number, isNew: false) : nil
    }

    /// Returns the new row; `nil` if there is one.
    private func add(
        _ facts: ModelFacts<Model>, in connection: DatabaseConnection
    ) throws(OfflineError) -> Row? {
        let kind = try kindMade(in: connection)
        let shape = try shape(kind, in: connection)
        let bytes = facts.stored
        let row = try connection.statement(
            """
            INSERT INTO models (kind, id, shape, facts, bytes, seen, holds)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6,
                (SELECT count(*) FROM members WHERE kind = ?1 AND id = ?2)
                + CASE ?1 WHEN 1 THEN (SELECT count(*) FROM pins WHERE article = ?2)
                    + (SELECT count(*) FROM outbox WHERE article = ?2) ELSE 0 END)
            ON CONFLICT (kind, id) DO NOTHING
            """)
        try row.bind(1, kind)
        try row.bind(2, id: facts.id)
        try row.bind(3, shape)
        try row.bind(4, bytes)
        try row.bind(5, bytes.count + StoreSchema.rowBytes)
        try row.bind(6, facts.seenAt)
        try row.run()
        guard connection.changedRows > 0 else { return nil }
        addedBytes += bytes.count + StoreSchema.rowBytes
        return Row(number: connection.lastInsertedRow, isNew: true)
    }

    /// Returns the number of the model's row; `nil` if there is none.
    private func number(
        of id: Model.ID, in connection: DatabaseConnection
    ) throws(OfflineError) -> Int64? {
        if let known = cache.row(of: id) { return known }
        guard let kind = try kind(in: connection) else { return nil }
        let row = try connection.statement("SELECT number FROM models WHERE kind = ?1 AND id = ?2")
        try row.bind(1, kind)
        try row.bind(2, id: id)
        return try row.step() ? row.integer(0) : nil
    }

    func remove(_ id: Model.ID, in connection: DatabaseConnection) throws(OfflineError) {
        forget(id)
        guard let kind = try kind(in: connection) else { return }
        let row = try connection.statement("DELETE FROM models WHERE kind = ?1 AND id = ?2")
        try row.bind(1, kind)
        try row.bind(2, id: id)
        try row.run()
    }

    /// The row was removed.
    private func forget(_ id: Model.ID) {
        cache.remove(id)
        deferred[id] = nil
    }

    func forget(stored id: [UInt8]) { Model.ID(storedBytes: id).map { forget($0) } }

    func forgetAll() {
        for id in deferred.keys { deferred[id]?.timeRow = nil }
        addedBytes = 0
        cache.removeAll()
        knownKind = nil
        mayHaveTombstones = nil
        shapes = [:]
        ownShape = nil
    }

    /// The number of this app's attributes.
    private func shape(
        _ kind: Int, in connection: DatabaseConnection
    ) throws(OfflineError) -> Int64 {
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

/// A later time at which the facts of a row were seen.
private struct SeenTime {
    let row: Int64
    let time: Timestamp

    /// Stores the times. The models of a list were mostly stored one after another, so that one
    /// statement changes all of their rows.
    static func store(
        _ times: [SeenTime], in connection: DatabaseConnection
    ) throws(OfflineError) {
        let times = times.sorted { $0.row < $1.row }
        var first = 0
        // Invariant: the times before `first` are stored; those until `last` are the same, of rows
        // with successive numbers.
        for last in times.indices {
            let next = last + 1
            if next < times.count, times[next].row == times[last].row + 1,
                times[next].time == times[last].time
            {
                continue
            }
            let row = try connection.statement(
                "UPDATE models SET seen = ?3 WHERE number BETWEEN ?1 AND ?2")
            try row.bind(1, times[first].row)
            try row.bind(2, times[last].row)
            try row.bind(3, times[last].time)
            try row.run()
            first = next
        }
    }
}
