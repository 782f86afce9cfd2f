import ArticleStore
import Sockets

/// Reads that may run for long, one at a time, each on a connection of its own.
///
/// Such a read keeps the write-ahead log from being emptied; when the log reaches its limit, the
/// writer stops it. An export of a served file is so bounded by what is written meanwhile.
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

    /// Runs the work with a connection of its own.
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

    /// Makes the running export fail at its next row.
    func stop() {
        state.withLock { state in
            for interrupter in state.running.values { interrupter.interrupt() }
        }
    }

    /// Stops what runs, and waits until its connection is closed.
    func close() async {
        state.withLock { $0.isClosed = true }
        stop()
        // The pool has one thread: when this ran, all before it has ended.
        try? await pool.run {}
    }

    private func perform<Value>(
        _ work: (Connection) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        // A closed store must not open the file again, which may be another's by now.
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
        // The interrupter goes before its connection does.
        defer { state.withLock { _ = $0.running.removeValue(forKey: number) } }
        return try work(connection)
    }
}
