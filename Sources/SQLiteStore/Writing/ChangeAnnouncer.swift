import ArticleStore
import Sockets

/// Tells observers what a commit changes, before it and behind it.
///
/// Observers may be added from any thread; all else is for the writer's.
final class ChangeAnnouncer: Sendable {
    private let observers = Lock<[Observer]>([])
    /// Beyond, changes are not told one by one.
    private static let mostRecords = 500

    /// Who observes a store mostly has it, so that the store must not keep them.
    private struct Observer {
        weak var value: (any ChangeObserver)?
    }

    private struct State {
        /// Who is told of this transaction.
        var told: [any ChangeObserver] = []
        /// How many were told of the transaction before.
        var toldCount = 0
        var lastSequence: Int64 = 0
        /// Of the last transaction that was told.
        var epoch: Epoch?
        /// What was announced and is neither committed nor rolled back yet.
        var pending: Int64?
    }

    // Touched by the writer's thread only.
    private nonisolated(unsafe) var state = State()

    func add(_ observer: any ChangeObserver) {
        observers.withLock { $0.append(Observer(value: observer)) }
    }

    /// A transaction has begun, and has changed nothing yet.
    func begin(on connection: Connection, _ configuration: SQLiteConfiguration)
        throws(StoreError)
    {
        let observers = observers.withLock { observers in
            observers.removeAll { $0.value == nil }
            return observers.compactMap(\.value)
        }
        if state.toldCount != observers.count {
            let snapshot = Snapshot(connection, configuration)
            state.lastSequence = try snapshot.changeSequence()
            state.epoch = try snapshot.epoch()
        }
        state.told = observers
        state.toldCount = observers.count
    }

    /// The transaction is about to be committed.
    func announce(on connection: Connection, _ configuration: SQLiteConfiguration)
        throws(StoreError)
    {
        guard !state.told.isEmpty else { return }
        let snapshot = Snapshot(connection, configuration)
        let records = try snapshot.changes(after: state.lastSequence, limit: Self.mostRecords)
        guard let last = records.last else { return }
        let epoch = try snapshot.epoch()
        // In another epoch everything has another version.
        let isWhole = records.count < Self.mostRecords && epoch == state.epoch
        state.epoch = epoch
        let sequence = isWhole ? last.sequence : try snapshot.changeSequence()
        state.pending = sequence
        let changes = PendingChanges(sequence: sequence, records: isWhole ? records : nil)
        for observer in state.told { observer.willCommit(changes) }
    }

    /// The transaction is committed.
    func succeeded() {
        defer { state.told = [] }
        guard let sequence = state.pending.take() else { return }
        state.lastSequence = sequence
        for observer in state.told { observer.didCommit(through: sequence) }
    }

    /// The transaction is rolled back.
    func failed() {
        defer { state.told = [] }
        guard state.pending.take() != nil else { return }
        // What it was before is read again.
        state.toldCount = 0
        for observer in state.told { observer.didNotCommit(beyond: state.lastSequence) }
    }
}
