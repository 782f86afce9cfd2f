import ArticleAPI
import ArticleStore
import Platform

extension Snapshot {
    /// Exports everything except keys and secrets, with one body at a time in memory.
    func export(_ body: (ExportRecord) throws -> Void) throws(StoreError) {
        func give(_ record: ExportRecord) throws(StoreError) {
            do { try body(record) } catch { throw .rejected(error) }
        }
        let authors = try connection.statement(SQL.authorsAfter)
        try authors.bind(1, [UInt8]())
        while try authors.step() { try give(.author(Author(authors))) }

        let articles = try connection.statement(SQL.articleNumbers)
        while try articles.step() {
            // Names are cached per article, as there may be very many.
            let state = Snapshot(connection, configuration)
            let id: Article.ID = try articles.identifier(1)
            let article = try state.exported(id, number: articles.integer(0))
            try give(.article(article))
            for number in 0..<(try state.articleNumber(id)?.revision ?? 0) {
                try give(.revision(state.exported(id, revision: number + 1)))
            }
        }
    }

    private func exported(_ id: Article.ID, number: Int64) throws(StoreError) -> ExportedArticle {
        let slugs = try slugs(of: number)
        let current = try stored(.id(id))?.revision.content.slug
        return ExportedArticle(
            id: id, aliases: slugs.filter { $0 != current }, imported: try importMark(of: number))
    }

    private func exported(
        _ id: Article.ID, revision number: Int
    ) throws(StoreError) -> ExportedRevision {
        let stored = try stored(id, at: number)
        return ExportedRevision(
            action: stored.revision.action, actor: try actor(stored.revision.actor),
            time: stored.revision.time, article: try content(of: stored, withBody: true))
    }

    /// All slugs including the current one, in byte order.
    func slugs(of article: Int64) throws(StoreError) -> [String] {
        let row = try connection.statement(SQL.slugsOfArticle)
        try row.bind(1, article)
        var slugs: [String] = []
        while try row.step() { slugs.append(row.text(0)) }
        return slugs
    }

    func importMark(of article: Int64) throws(StoreError) -> ExportedArticle.ImportMark? {
        let row = try connection.statement(SQL.importMarkOfArticle)
        try row.bind(1, article)
        guard try row.step() else { return nil }
        return ExportedArticle.ImportMark(
            path: row.text(0), digest: row.bytes(1), revision: Int(row.integer(2)))
    }
}

/// Long-running reads, one at a time, each on its own connection.
///
/// Such a read prevents the write-ahead log from being truncated; when the log reaches its limit,
/// the writer interrupts it. So the volume of concurrent writes limits how long an export of a
/// served file may take.
final class ExportReaders: Sendable {
    private struct State {
        var running: [Int: Interrupter] = [:]
        var started = 0
        var isClosed = false
    }

    private let path: String
    private let configuration: SQLiteConfiguration
    private let pool = BlockingPool(label: "broadsheet.store.exports", width: 1, depth: 8)
    private let state = Lock(State())

    init(path: String, _ configuration: SQLiteConfiguration) {
        self.path = path
        self.configuration = configuration
    }

    func export(
        _ body: @escaping @Sendable (ExportRecord) throws -> Void
    ) async throws(StoreError) {
        let configuration = configuration
        try await read { (connection) throws(StoreError) in
            try connection.readTransaction(configuration) { (state) throws(StoreError) in
                try state.export(body)
            }
        }
    }

    /// Runs the work with its own connection.
    func read<Value: Sendable>(
        _ work: @escaping @Sendable (Connection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError>
        do {
            result = try await pool.run {
                Result { () throws(StoreError) in try self.perform(work) }
            }
        } catch { throw .busy }
        return try result.get()
    }

    /// Interrupts the running reads.
    func stop() {
        state.withLock { state in
            for interrupter in state.running.values { interrupter.interrupt() }
        }
    }

    /// Interrupts the running read and waits until its connection is closed.
    func close() async {
        state.withLock { $0.isClosed = true }
        stop()
        // The pool has one thread: when this has run, everything before it has ended.
        try? await pool.run {}
    }

    private func perform<Value>(
        _ work: (Connection) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        // A closed store must not reopen the file, which may have another owner by now.
        guard !state.withLock({ $0.isClosed }) else { throw .unavailable("the store is closed") }
        let connection = try Connection(readerOf: path, configuration)
        let interrupter = connection.interrupter
        let number: Int? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.started += 1
            state.running[state.started] = interrupter
            return state.started
        }
        guard let number else { throw .unavailable("the store is closed") }
        // The interrupter is removed before its connection is closed.
        defer { state.withLock { _ = $0.running.removeValue(forKey: number) } }
        return try work(connection)
    }
}
