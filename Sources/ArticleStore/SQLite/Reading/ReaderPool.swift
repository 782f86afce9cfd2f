import Network

/// A few connections that only read, each lent to one read at a time; a read is one transaction.
final class ReaderPool: Sendable {
    /// A connection on its way between threads.
    private struct Lent: @unchecked Sendable {
        // One thread has it at a time: it is in the pool, or with the read that it was lent to.
        let connection: Connection
    }

    private struct State {
        var idle: [Lent]
        var lentCount = 0
        var isClosed = false
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Lock<State>
    private let pool: BlockingPool
    private let configuration: SQLiteConfiguration

    init(path: String, _ configuration: SQLiteConfiguration) throws(StoreError) {
        var idle: [Lent] = []
        for _ in 0..<max(configuration.readers, 1) {
            idle.append(Lent(connection: try Connection(readerOf: path, configuration)))
        }
        pool = BlockingPool(
            label: "broadsheet.store.readers", width: idle.count,
            depth: configuration.readQueueDepth)
        self.configuration = configuration
        state = Lock(State(idle: idle))
    }

    /// Reads that wait for a connection.
    var waiting: Int { pool.waiting }

    /// Runs the read against one committed state.
    func read<Value: Sendable>(
        _ work: @escaping @Sendable (Snapshot) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError>
        do {
            result = try await pool.run { self.perform(work) }
        } catch { throw .busy }
        return try result.get()
    }

    /// Waits for the reads that run, and closes all connections.
    func close() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                state.isClosed = true
                state.idle = []
                if state.lentCount > 0 { state.waitingForEnd.append(continuation) }
                return state.lentCount == 0
            }
            if isOver { continuation.resume() }
        }
    }

    private func perform<Value>(
        _ work: (Snapshot) throws(StoreError) -> Value
    ) -> Result<Value, StoreError> {
        guard let lent = lend() else { return .failure(.unavailable("the store is closed")) }
        defer { takeBack(lent) }
        return Result { () throws(StoreError) in
            try lent.connection.readTransaction(configuration, work)
        }
    }

    private func lend() -> Lent? {
        state.withLock { state in
            let lent = state.idle.popLast()
            if lent != nil { state.lentCount += 1 }
            return lent
        }
    }

    private func takeBack(_ lent: Lent) {
        let waiting: [CheckedContinuation<Void, Never>] = state.withLock { state in
            state.lentCount -= 1
            if !state.isClosed { state.idle.append(lent) }
            guard state.isClosed, state.lentCount == 0 else { return [] }
            defer { state.waitingForEnd = [] }
            return state.waitingForEnd
        }
        for continuation in waiting { continuation.resume() }
    }
}

extension Connection {
    /// One read transaction (a snapshot from its first statement on), of a connection that never
    /// writes: only others' commits change what it keeps of names.
    func readTransaction<Value>(
        _ configuration: SQLiteConfiguration, _ work: (Snapshot) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try execute(SQL.begin)
        do {
            names.move(to: try dataVersion())
            let value = try work(Snapshot(self, configuration, names: names))
            try execute(SQL.commit)
            return value
        } catch {
            if isInTransaction { try? execute(SQL.rollback) }
            throw error
        }
    }

    /// Another number whenever another connection has committed
    /// (https://www.sqlite.org/pragma.html#pragma_data_version).
    private func dataVersion() throws(StoreError) -> Int64 {
        let row = try statement(SQL.dataVersion)
        guard try row.step() else { throw .corrupt("there is no data version") }
        return row.integer(0)
    }
}
