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

/// What the steps of the open transaction leave for its commit: counters to write, and changes to
/// announce.
struct CommitEffects {
    var counts = FacetCounts()
    private(set) var changes: [ChangeRecord] = []
    /// Whether there were more changes than are kept.
    private(set) var isTruncated = false
    /// If there are more changes, observers are not told of them one by one.
    private static let mostChanges = 500

    /// A point in the transaction, to which `undo(to:)` returns.
    struct Mark {
        fileprivate var counts = 0
        fileprivate var changes = 0
        fileprivate var isTruncated = false

        /// The beginning of the transaction.
        static let begin = Mark()
    }

    var mark: Mark {
        Mark(counts: counts.mark, changes: changes.count, isTruncated: isTruncated)
    }

    mutating func add(_ change: ChangeRecord) {
        if changes.count < Self.mostChanges {
            changes.append(change)
        } else {
            isTruncated = true
        }
    }

    mutating func clear() { undo(to: .begin) }

    /// Discards effects after the mark.
    mutating func undo(to mark: Mark) {
        counts.undo(to: mark.counts)
        changes.removeSubrange(mark.changes...)
        isTruncated = mark.isTruncated
    }
}

/// Accumulates the changes to the facets' counters in a commit and writes them once, as the
/// articles of a commit share most of their facets.
struct FacetCounts {
    fileprivate struct Change {
        var facet: Int64
        var live: Int64
        var published: Int64
    }

    private var changes: [Change] = []

    /// The current position, to which `undo(to:)` can return.
    var mark: Int { changes.count }

    /// Counts the transition of an article from one state to another under a facet; `nil` means
    /// that it is not listed there.
    mutating func add(_ facet: Int64, from before: StoredState?, to after: StoredState?) {
        let live: Int64 = (after == nil ? 0 : 1) - (before == nil ? 0 : 1)
        let published: Int64 = (after == .published ? 1 : 0) - (before == .published ? 1 : 0)
        guard live != 0 || published != 0 else { return }
        changes.append(Change(facet: facet, live: live, published: published))
    }

    /// Discards changes after the mark.
    mutating func undo(to mark: Int) { changes.removeSubrange(mark...) }

    /// Writes the accumulated changes in the transaction that counted them.
    mutating func write(to connection: Connection) throws(StoreError) {
        var sums: [Int64: Change] = [:]
        for change in changes {
            sums[change.facet, default: Change(facet: change.facet, live: 0, published: 0)]
                .add(change)
        }
        changes.removeAll(keepingCapacity: true)
        for sum in sums.values.sorted(by: { $0.facet < $1.facet })
        where sum.live != 0 || sum.published != 0 {
            let row = try connection.statement(SQL.countFacet)
            try row.bind(1, sum.facet)
            try row.bind(2, sum.live)
            try row.bind(3, sum.published)
            try row.run()
        }
    }
}

extension FacetCounts.Change {
    fileprivate mutating func add(_ other: Self) {
        live += other.live
        published += other.published
    }
}
