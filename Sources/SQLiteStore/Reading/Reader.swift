import ArticleStore

/// One of the connections that only read.
///
/// A read is one transaction, or goes on with that of the read before, if nothing was committed
/// since that began: one of its own would show it the same.
final class Reader: @unchecked Sendable {
    // All but the constants is touched by the pool's worker of the same number, and nobody else.
    private var connection: Connection?
    /// What the clock showed before the open transaction began; `nil` for one that must end.
    private var time: UInt64?
    private let configuration: SQLiteConfiguration
    private let clock: CommitSequence

    init(
        of path: String, _ configuration: SQLiteConfiguration, _ clock: CommitSequence
    ) throws(StoreError) {
        connection = try Connection(readerOf: path, configuration)
        self.configuration = configuration
        self.clock = clock
    }

    func read<Value>(
        _ work: (Snapshot) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        guard let connection else { throw Self.closed }
        let now = clock.time
        if now == nil || now != time {
            letGo()
            try connection.beginRead()
        }
        time = nil
        let value = try work(connection.snapshot(configuration))
        time = now
        return value
    }

    /// Ends the transaction: an open one keeps the log from being emptied.
    func letGo() {
        time = nil
        connection?.endRead()
    }

    func close() { connection = nil }

    static let closed = StoreError.unavailable("the store is closed")
}

extension Connection {
    /// Runs the work in a read transaction of its own.
    func readTransaction<Value>(
        _ configuration: SQLiteConfiguration, _ work: (Snapshot) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        defer { endRead() }
        try beginRead()
        return try work(snapshot(configuration))
    }

    /// Begins a read transaction, whose state is fixed from here on. A connection that never
    /// writes keeps names from one to the next: only others' commits change them.
    fileprivate func beginRead() throws(StoreError) {
        try execute(SQL.begin)
        let row = try statement(SQL.dataVersion)
        guard try row.step() else { throw .corrupt("there is no data version") }
        names.move(to: row.integer(0))
    }

    fileprivate func endRead() {
        // What was read is there already: nothing depends on how the transaction ends.
        if isInTransaction { try? execute(SQL.commit) }
        if isInTransaction { try? execute(SQL.rollback) }
    }

    fileprivate func snapshot(_ configuration: SQLiteConfiguration) -> Snapshot {
        Snapshot(self, configuration, names: names)
    }
}
