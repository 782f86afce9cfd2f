import ArticleAPI
import BroadsheetSQLite

/// The file of a store with the values kept in memory. It is used by one thread at a time.
final class StoreEngine {
    let place: ModelStore.Location
    let limits: ModelStore.Limits
    private let report: (StoreEvent) -> Void
    private(set) var connection: DatabaseConnection
    /// The file that is open: another process may have set it aside.
    private var identity: StoreFile.Identity?
    /// Changes when another connection writes (`PRAGMA data_version`).
    private var dataVersion: Int64 = 0

    let articles: ModelTable<Article>
    let authors: ModelTable<Author>
    let comments: ModelTable<ArticleComment>
    /// The tables of all types that were used, by the names of the types.
    private var tables: [String: any AnyModelTable]
    /// Newer times of responses than in the file, by their requests.
    var deferredResponses: [[UInt8]: Timestamp] = [:]
    /// The bytes of new responses that are not in the totals.
    var addedResponseBytes = 0
    /// The time at which a backend last reported that its history is another one.
    var resetAt: Timestamp?
    let names = NameTable()
    /// The index for searches.
    var index: SearchIndex

    /// The topics that have changed and were not announced yet.
    private var changed: Set<StoreTopic> = []
    private var everythingChanged = false
    /// The changes of the open transaction that concern searches.
    private var unindexed = UnindexedChanges()

    private struct UnindexedChanges {
        var articles: Set<Article.ID> = []
        var authors: Set<Author.ID> = []
        var isEverything = false
    }

    init(
        _ place: ModelStore.Location, _ limits: ModelStore.Limits,
        report: @escaping (StoreEvent) -> Void
    ) throws(OfflineError) {
        self.place = place
        self.limits = limits
        self.report = report
        articles = ModelTable(memoryBytes: limits.memoryBytes / 4 * 3)
        authors = ModelTable(memoryBytes: limits.memoryBytes / 8)
        comments = ModelTable(memoryBytes: limits.memoryBytes / 8)
        let known: [any AnyModelTable] = [articles, authors, comments]
        tables = Dictionary(uniqueKeysWithValues: known.map { ($0.type, $0) })
        index = SearchIndex(limitBytes: limits.searchedBytes)
        connection = try Self.openOrRecreate(place, limits, report)
        identity = place.path.flatMap { StoreFile(path: $0).identity }
        dataVersion = try currentVersion()
    }

    deinit {
        // Newer times are only written with other changes: these are the last ones.
        if deferredCount > 0 { try? transaction { () throws(OfflineError) in } }
    }

    private static func open(
        _ place: ModelStore.Location, _ limits: ModelStore.Limits
    ) throws(OfflineError) -> DatabaseConnection {
        if let path = place.path { try StoreFile(path: path).prepare() }
        let connection = try DatabaseConnection(place.path, limitBytes: limits.fileBytes)
        try StoreSchema.prepare(connection, account: place.account)
        return connection
    }

    /// The table of a type, which begins with its first use.
    func table<Model: StorableModel>(_ type: Model.Type) -> ModelTable<Model> {
        if let articles = articles as? ModelTable<Model> { return articles }
        let name = Model.storedForm.name
        if let known = tables[name] {
            guard let table = known as? ModelTable<Model> else {
                preconditionFailure("programmer error: two types have the stored name \(name)")
            }
            return table
        }
        let table = ModelTable<Model>(memoryBytes: limits.memoryBytes / 8)
        tables[name] = table
        return table
    }

    /// The table of the type with this name; `nil` if it was not used since the store was opened.
    func usedTable(named name: String) -> (any AnyModelTable)? { tables[name] }

    // MARK: Announcing

    func note(_ topic: StoreTopic) { changed.insert(topic) }

    /// The model, and lists in which it is or was, have changed.
    func note(_ key: ModelKey) {
        changed.insert(.model(key))
        changed.insert(.models(key.type))
        guard key.isArticle, let id = Article.ID(storedBytes: key.id) else { return }
        index.articleChanged(id)
        unindexed.articles.insert(id)
    }

    /// All articles look different.
    func noteEverything() {
        fileChanged()
        unindexed.isEverything = true
    }

    /// Any model may be another one, as another process has written the file.
    private func fileChanged() {
        everythingChanged = true
        index.everythingChanged()
    }

    /// The name of an author changes in any number of by-lines.
    func noteRename(of id: Author.ID) {
        everythingChanged = true
        index.authorRenamed(id)
        unindexed.authors.insert(id)
    }

    /// Returns the topics that have changed since the last call; `nil` if it may be all of them.
    func takeChanges() -> Set<StoreTopic>? {
        defer { (changed, everythingChanged) = ([], false) }
        return everythingChanged ? nil : changed
    }

    // MARK: Reading and writing

    /// Reads, after catching up with changes that other processes have written.
    func read<Result>(
        _ body: () throws(OfflineError) -> Result
    ) throws(OfflineError) -> Result {
        try recovering { () throws(OfflineError) in
            try catchUp()
            return try body()
        }
    }

    /// Performs one transaction: all of it, or nothing.
    ///
    /// - Parameters:
    ///   - isFlushed: true if it has to survive a power cut.
    ///   - body: may run twice, if the file turns out to be damaged.
    func write<Result>(
        isFlushed: Bool = false, _ body: () throws(OfflineError) -> Result
    ) throws(OfflineError) -> Result {
        try recovering { () throws(OfflineError) in
            let result = try transaction(isFlushed: isFlushed, body)
            guard !isCurrent else { return result }
            // Another process has set the file aside meanwhile.
            try reopen()
            return try transaction(isFlushed: isFlushed, body)
        }
    }

    private func transaction<Result>(
        isFlushed: Bool, _ body: () throws(OfflineError) -> Result
    ) throws(OfflineError) -> Result {
        guard isFlushed else { return try transaction(body) }
        try connection.execute("PRAGMA synchronous = FULL")
        defer { try? connection.execute("PRAGMA synchronous = NORMAL") }
        return try transaction(body)
    }

    private func transaction<Result>(
        _ body: () throws(OfflineError) -> Result
    ) throws(OfflineError) -> Result {
        try connection.execute("BEGIN IMMEDIATE")
        do throws(OfflineError) {
            try catchUp()
            let before = try totalBytes()
            try writeDeferred()
            let result = try body()
            try countAdded()
            try shrink(from: before)
            try noteUnindexedChanges()
            try connection.execute("COMMIT")
            forgetDeferred()
            return result
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            forgetAll()
            (changed, unindexed) = ([], UnindexedChanges())
            throw error
        }
    }

    /// Notes the changes in the index that the file has, in a transaction.
    private func noteUnindexedChanges() throws(OfflineError) {
        defer { unindexed = UnindexedChanges() }
        guard unindexed.isEverything || !unindexed.articles.isEmpty || !unindexed.authors.isEmpty,
            try StoredSearchIndex.exists(in: connection)
        else { return }
        if unindexed.isEverything { return try StoredSearchIndex.removeAll(from: connection) }
        for id in unindexed.articles { try StoredSearchIndex.noteChange(of: id, in: connection) }
        for id in unindexed.authors { try StoredSearchIndex.noteRename(of: id, in: connection) }
    }

    /// Drops values kept from an earlier state, if another connection has written.
    private func catchUp() throws(OfflineError) {
        let version = try currentVersion()
        guard version != dataVersion else { return }
        dataVersion = version
        forgetAll()
        fileChanged()
    }

    private func currentVersion() throws(OfflineError) -> Int64 {
        let row = try connection.statement("PRAGMA data_version")
        return try row.step() ? row.integer(0) : 0
    }

    /// Adds the new rows to the totals, once for all of them.
    private func countAdded() throws(OfflineError) {
        let added = tables.values.reduce(addedResponseBytes) { $0 + $1.addedBytes }
        guard added > 0 else { return }
        let row = try connection.statement("UPDATE totals SET bytes = bytes + ?1")
        try row.bind(1, added)
        try row.run()
        for table in tables.values { table.forgetAdded() }
        addedResponseBytes = 0
    }

    private func forgetAll() {
        addedResponseBytes = 0
        for table in tables.values { table.forgetAll() }
        names.forgetAll()
    }

    // MARK: Times that are written later

    /// The maximum number of facts that wait for the next commit.
    private static var limitDeferred: Int { 500 }

    private var deferredCount: Int {
        tables.values.reduce(deferredResponses.count) { $0 + $1.deferredCount }
    }

    var hasTooManyDeferred: Bool { deferredCount > Self.limitDeferred }

    private func writeDeferred() throws(OfflineError) {
        for table in tables.values where table.deferredCount > 0 {
            try table.writeDeferred(in: connection)
        }
        if !deferredResponses.isEmpty { try writeDeferredResponses() }
    }

    private func forgetDeferred() {
        for table in tables.values { table.forgetDeferred() }
        deferredResponses = [:]
    }

    // MARK: Damage

    private func recovering<Result>(
        _ body: () throws(OfflineError) -> Result
    ) throws(OfflineError) -> Result {
        if !isCurrent { try reopen() }
        do throws(OfflineError) {
            return try body()
        } catch .damaged(let reason) {
            try recreate(because: reason)
            return try body()
        }
    }

    /// Sets the damaged file aside and begins a new one, with the data that the app cannot fetch
    /// again.
    private func recreate(because reason: String) throws(OfflineError) {
        guard place.path != nil else { throw .damaged(reason) }
        guard isCurrent else { return try reopen() }
        let saved = DamagedFileReader(connection)
        connection.close()
        connection = try Self.openEmpty(place, limits, saved, because: reason, report)
        try adopt()
    }

    private static func openOrRecreate(
        _ place: ModelStore.Location, _ limits: ModelStore.Limits, _ report: (StoreEvent) -> Void
    ) throws(OfflineError) -> DatabaseConnection {
        if let path = place.path { try StoreFile(path: path).finishReplacement() }
        do throws(OfflineError) {
            return try open(place, limits)
        } catch .damaged(let reason) {
            return try openEmpty(place, limits, DamagedFileReader(place), because: reason, report)
        }
    }

    /// True if the open file is still the one at its path: another process may have found it
    /// damaged, or the system may have removed it.
    private var isCurrent: Bool {
        guard connection.isOpen else { return false }
        guard let path = place.path else { return true }
        return StoreFile(path: path).identity == identity
    }

    private func reopen() throws(OfflineError) {
        connection.close()
        connection = try Self.openOrRecreate(place, limits, report)
        try adopt()
    }

    /// Forgets the content of the former file.
    private func adopt() throws(OfflineError) {
        forgetAll()
        forgetDeferred()
        fileChanged()
        identity = place.path.flatMap { StoreFile(path: $0).identity }
        dataVersion = try currentVersion()
    }

    /// Opens a new file, which takes its place only when it is complete: until then, the saved data
    /// is still in the damaged one.
    private static func openEmpty(
        _ place: ModelStore.Location, _ limits: ModelStore.Limits, _ saved: DamagedFileReader,
        because reason: String, _ report: (StoreEvent) -> Void
    ) throws(OfflineError) -> DatabaseConnection {
        guard let path = place.path else { throw .damaged(reason) }
        let draft = StoreFile(path: path).draft
        try draft.remove()
        var written = place
        written.path = draft.path
        let connection = try open(written, limits)
        try connection.execute(script: "PRAGMA synchronous = FULL; BEGIN IMMEDIATE")
        for write in saved.writes { try OutboxTable.store(write, in: connection) }
        for id in saved.pins { try PinTable.add(id, in: connection) }
        for value in saved.values { try ValueTable.store(value, in: connection) }
        // Leaving the mode of logs writes the log into the file.
        try connection.execute(script: "COMMIT; PRAGMA journal_mode = DELETE")
        connection.close()
        try StoreFile(path: path).replaceByDraft()
        report(.damaged(path: path, reason: reason, savedWrites: saved.writes.count))
        return try open(place, limits)
    }
}
