import ArticleStore
import Platform

/// Notifies observers of the changes of a commit before and after it.
///
/// Observers may be added from any thread; everything else is only called by the writer's thread.
final class ChangeAnnouncer: Sendable {
    private let observers = Lock<[Observer]>([])

    /// Observers usually own the store, so references to them must be weak.
    private struct Observer {
        weak var value: (any ChangeObserver)?
    }

    private struct State {
        /// The observers of this transaction.
        var notified: [any ChangeObserver] = []
        /// The number of observers of the previous transaction.
        var notifiedCount = 0
        var lastSequence: Int64 = 0
        /// The epoch of the last announced transaction.
        var epoch: Epoch?
        /// The announced sequence that is neither committed nor rolled back yet.
        var pending: Int64?
    }

    // Only accessed by the writer's thread.
    private nonisolated(unsafe) var state = State()

    func add(_ observer: any ChangeObserver) {
        observers.withLock { $0.append(Observer(value: observer)) }
    }

    /// Called when a transaction has begun but has not changed anything.
    func begin(on connection: Connection, _ configuration: SQLiteConfiguration)
        throws(StoreError)
    {
        let observers = observers.withLock { observers in
            observers.removeAll { $0.value == nil }
            return observers.compactMap(\.value)
        }
        if state.notifiedCount != observers.count {
            let snapshot = Snapshot(connection, configuration)
            state.lastSequence = try snapshot.changeSequence()
            state.epoch = try snapshot.epoch()
        }
        state.notified = observers
        state.notifiedCount = observers.count
    }

    /// Called before the transaction is committed.
    func announce(on connection: Connection, _ configuration: SQLiteConfiguration)
        throws(StoreError)
    {
        let effects = connection.effects
        guard !state.notified.isEmpty, let last = effects.changes.last else { return }
        let snapshot = Snapshot(connection, configuration)
        let epoch = try snapshot.epoch()
        // In a different epoch, everything has a different version.
        let isWhole = !effects.isTruncated && epoch == state.epoch
        state.epoch = epoch
        let sequence = effects.isTruncated ? try snapshot.changeSequence() : last.sequence
        state.pending = sequence
        let changes = PendingChanges(
            sequence: sequence, records: isWhole ? effects.changes : nil)
        for observer in state.notified { observer.willCommit(changes) }
    }

    /// Called after the transaction was committed.
    func succeeded() {
        defer { state.notified = [] }
        guard let sequence = state.pending.take() else { return }
        state.lastSequence = sequence
        for observer in state.notified { observer.didCommit(through: sequence) }
    }

    /// Called after the transaction was rolled back.
    func failed() {
        defer { state.notified = [] }
        guard state.pending.take() != nil else { return }
        // Forces the state to be read again.
        state.notifiedCount = 0
        for observer in state.notified { observer.didNotCommit(beyond: state.lastSequence) }
    }
}
