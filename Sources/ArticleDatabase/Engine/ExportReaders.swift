import ArticleStore
import BroadsheetPlatform

/// Long-running reads, one at a time, each on its own connection.
///
/// Such a read prevents the write-ahead log from being truncated; when the log reaches its limit,
/// the writer interrupts it. So the volume of concurrent writes limits the duration of an export of
/// a served file may take.
final class ExportReaders: Sendable {
    private struct State {
        var running: [Int: Interrupter] = [:]
        var started = 0
        var isClosed = false
    }

    private let open: @Sendable () throws(StoreError) -> Connection
    private let limits: StoreLimits
    private let pool = BlockingPool(label: "broadsheet.store.exports", width: 1, depth: 8)
    private let state = Lock(State())

    /// - Parameter open: opens a connection for reading.
    init(_ limits: StoreLimits, open: @escaping @Sendable () throws(StoreError) -> Connection) {
        self.limits = limits
        self.open = open
    }

    /// Runs an export against one committed state.
    func export(
        _ work: @escaping @Sendable (Snapshot) throws(StoreError) -> Void
    ) async throws(StoreError) {
        let limits = limits
        try await read { (connection) throws(StoreError) in
            try connection.readTransaction(limits, work)
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
        let connection = try open()
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
