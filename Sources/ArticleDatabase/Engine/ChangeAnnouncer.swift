import ArticleStore
import BroadsheetPlatform
import Synchronization

/// Notifies observers of the changes of commits, in the order of the commits: of those of this
/// process before and after each, of those of others once they are visible.
///
/// The thread that writes brackets each of its commits by `begin` and `succeeded` or `failed`.
/// Another thread may announce the commits of other processes (`follow`). Observers may be added
/// from any thread.
final class ChangeAnnouncer: Sendable {
    private let observers = Lock<[Observer]>([])
    private let clock: CommitSequence
    /// True if a commit of this process is open. No other process can commit meanwhile.
    private let isOpen = Lock(false)
    private let seen = Atomic<Int64>(0)
    private let own = Atomic<Int64>(0)
    private let cutCount = Atomic<Int>(0)
    private let onCut = Lock<@Sendable (Epoch) -> Void> { _ in }

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
        /// The mark of the last announced commit; 0 if it is not known.
        var mark: Int64 = 0
        /// Added to the numbers that observers get, which must never decrease: by as many as a
        /// history lost when it was cut, and by one for a new epoch without a change.
        var shift: Int64 = 0
        /// The epoch of the last announced transaction.
        var epoch: Epoch?
        /// The announced changes that are neither committed nor rolled back yet.
        var pending: CommitChanges?
    }

    // Accessed by the thread that writes while `isOpen`, and otherwise under its lock.
    private nonisolated(unsafe) var state = State()

    init(_ clock: CommitSequence) { self.clock = clock }

    func add(_ observer: any ChangeObserver) {
        observers.withLock { $0.append(Observer(value: observer)) }
    }

    private func present() -> [any ChangeObserver] {
        observers.withLock { observers in
            observers.removeAll { $0.value == nil }
            return observers.compactMap(\.value)
        }
    }

    // MARK: Commits of this process

    /// Called when a transaction has begun but has not changed anything.
    func begin(on connection: Connection, _ limits: StoreLimits)
        throws(StoreError)
    {
        isOpen.withLock { $0 = true }
        let snapshot = Snapshot(connection, limits)
        let present = present()
        if let commit = connection.precedingCommit {
            if commit != place.commit {
                announce(try snapshot.remoteCommits(after: place), to: present)
            }
        } else if state.notifiedCount != present.count {
            state.lastSequence = try snapshot.changeSequence()
            state.epoch = try snapshot.epoch()
        }
        state.notified = present
        state.notifiedCount = present.count
    }

    /// Called before the transaction is committed.
    func announce(on connection: Connection, _ limits: StoreLimits)
        throws(StoreError)
    {
        let effects = connection.effects
        guard !state.notified.isEmpty || connection.precedingCommit != nil,
            effects.beginsHistory || !effects.changes.isEmpty
        else { return }
        let snapshot = Snapshot(connection, limits)
        let epoch = try snapshot.epoch()
        // In a different epoch, everything has a different version.
        let isWhole = !effects.isTruncated && epoch == state.epoch
        state.epoch = epoch
        let sequence =
            if let last = effects.changes.last, !effects.isTruncated { last.sequence } else {
                try snapshot.changeSequence()
            }
        if effects.beginsHistory { state.shift += 1 }
        let changes = CommitChanges(
            sequence: sequence + state.shift, records: isWhole ? effects.changes : nil)
        state.pending = changes
        for observer in state.notified { observer.willCommit(changes) }
    }

    /// Called after the transaction was committed, with the mark of the commit.
    func succeeded(on connection: Connection, mark: Int64) {
        if let changes = state.pending.take() {
            state.lastSequence = changes.sequence - state.shift
            for observer in state.notified { observer.didCommit(changes) }
        }
        if let commit = connection.precedingCommit {
            state.mark = mark
            seen.store(commit.number + 1, ordering: .sequentiallyConsistent)
            own.store(commit.number + 1, ordering: .sequentiallyConsistent)
        }
        end()
    }

    /// Called after the transaction was rolled back, or could not begin.
    func failed() {
        if state.pending.take() != nil {
            // Forces the state to be read again.
            state.notifiedCount = 0
            state.epoch = nil
            let last = state.lastSequence + state.shift
            for observer in state.notified { observer.didNotCommit(beyond: last) }
        }
        end()
    }

    private func end() {
        state.notified = []
        isOpen.withLock { $0 = false }
    }

    // MARK: Commits of other processes

    /// The position up to which observers were notified.
    struct Position: Hashable {
        var commit: NumberedCommit
        var sequence: Int64
        var epoch: Epoch?
    }

    /// The number of times that the database turned out to have lost commits that observers were
    /// notified of.
    var cuts: Int { cutCount.load(ordering: .sequentiallyConsistent) }

    /// Sets the closure to call then, with the epoch of the history that was cut. It must not wait.
    func whenCut(_ body: @escaping @Sendable (Epoch) -> Void) { onCut.withLock { $0 = body } }

    /// The number of the last commit that observers were told of; 0 if commits have no numbers.
    var lastCommit: Int64 { seen.load(ordering: .sequentiallyConsistent) }

    /// The number of the last commit of this process; 0 if there is none.
    var lastOwnCommit: Int64 { own.load(ordering: .sequentiallyConsistent) }

    private var place: Position {
        let commit = NumberedCommit(number: lastCommit, mark: state.mark)
        return Position(commit: commit, sequence: state.lastSequence, epoch: state.epoch)
    }

    /// Begins after the commits that the connection sees. Called once, before anything is
    /// committed.
    func start(on connection: Connection, _ limits: StoreLimits) throws(StoreError) {
        let remoteCommits = try connection.readTransaction(limits) {
            (snapshot) throws(StoreError) in
            try snapshot.remoteCommits(after: Position(commit: NumberedCommit(), sequence: .max))
        }
        isOpen.withLock { _ in adopt(remoteCommits.place) }
    }

    /// Announces the commits of others that the connection sees.
    ///
    /// - Returns: the number of the commit up to which everything was announced; `nil` if this
    ///   process is committing, which then announces the commits before its own.
    func follow(on connection: Connection, _ limits: StoreLimits) throws(StoreError) -> Int64? {
        guard let place = isOpen.withLock({ $0 ? nil : place }) else { return nil }
        let remoteCommits = try connection.readTransaction(limits) {
            (snapshot) throws(StoreError) in
            try snapshot.remoteCommits(after: place)
        }
        return isOpen.withLock { isOpen in
            guard !isOpen, self.place == place else { return nil }
            announce(remoteCommits, to: present())
            return remoteCommits.place.commit.number
        }
    }

    private func announce(_ remoteCommits: RemoteCommits, to present: [any ChangeObserver]) {
        if remoteCommits.isCut { noteCut(remoteCommits) }
        if remoteCommits.isCut || remoteCommits.place.sequence > state.lastSequence
            || remoteCommits.place.epoch != state.epoch
        {
            let isSame = !remoteCommits.isCut && remoteCommits.place.sequence == state.lastSequence
            if isSame { state.shift += 1 }
            let sequence = remoteCommits.place.sequence + state.shift
            let changes = CommitChanges(sequence: sequence, records: remoteCommits.changes)
            for observer in present { observer.willCommit(changes) }
            clock.advance()
            for observer in present { observer.didCommit(changes) }
        } else {
            clock.advance()
        }
        adopt(remoteCommits.place)
    }

    /// Forgets commits that the database has lost.
    private func noteCut(_ remoteCommits: RemoteCommits) {
        state.shift += max(0, state.lastSequence + 1 - remoteCommits.place.sequence)
        own.store(0, ordering: .sequentiallyConsistent)
        cutCount.add(1, ordering: .sequentiallyConsistent)
        // If there is another epoch, another process has noticed it before.
        guard let epoch = remoteCommits.place.epoch, epoch == state.epoch else { return }
        onCut.withLock { $0 }(epoch)
    }

    private func adopt(_ place: Position) {
        state.lastSequence = place.sequence
        state.epoch = place.epoch
        state.mark = place.commit.mark
        seen.store(place.commit.number, ordering: .sequentiallyConsistent)
    }
}

/// The commits of other processes since a position.
struct RemoteCommits {
    var place: ChangeAnnouncer.Position
    /// In order; `nil` if there are too many to list, or another history has begun.
    var changes: [ChangeRecord]?
    /// True if the database has lost commits before the position: it was restored, or its server
    /// was replaced by one that did not have them.
    var isCut = false
}

extension SQL {
    /// Only PostgreSQL has a clock of commits.
    fileprivate static let lastCommit: StaticString =
        "SELECT commits, mark FROM commit_clock WHERE number = 1"
    fileprivate static let markOfCommit: StaticString =
        "SELECT mark FROM commit_marks WHERE number = ?1"
    fileprivate static let notesAfter: StaticString = """
        SELECT number, notes FROM commit_marks WHERE number > ?1 AND notes IS NOT NULL
        ORDER BY number
        """
}

extension Snapshot {
    /// Returns the commits after the position.
    fileprivate func remoteCommits(after place: ChangeAnnouncer.Position) throws(StoreError)
        -> RemoteCommits
    {
        let last = try changeSequence()
        let present = ChangeAnnouncer.Position(
            commit: try lastCommit(), sequence: last, epoch: try epoch())
        guard try isInHistory(place.commit, before: present.commit) else {
            return RemoteCommits(place: present, changes: nil, isCut: true)
        }
        guard place.epoch == present.epoch, last - place.sequence <= CommitEffects.limitChanges
        else { return RemoteCommits(place: present, changes: nil) }
        let changes = try changes(after: place.sequence, limit: CommitEffects.limitChanges)
        let notes = CommitPayload(parsing: try notes(after: place.commit.number).map(\.text))
        return RemoteCommits(place: present, changes: notes.completing(changes))
    }

    private func lastCommit() throws(StoreError) -> NumberedCommit {
        let row = try connection.statement(SQL.lastCommit)
        guard try row.step() else { throw .corrupt("the clock of commits is missing") }
        return NumberedCommit(number: row.integer(0), mark: row.integer(1))
    }

    /// Returns true if the commit is the last one or one of those before it. One that is so long
    /// ago that its mark is gone counts as one of them.
    private func isInHistory(
        _ commit: NumberedCommit, before last: NumberedCommit
    ) throws(StoreError) -> Bool {
        if commit.mark == 0 || commit == last { return true }
        guard commit.number < last.number else { return false }
        let row = try connection.statement(SQL.markOfCommit)
        try row.bind(1, commit.number)
        guard try row.step() else {
            return last.number - commit.number >= PostgresSession.keptMarks
        }
        return row.integer(0) == commit.mark
    }

    /// The notes of the commits after the one with this number.
    func notes(
        after commit: Int64
    ) throws(StoreError) -> [(commit: Int64, text: String)] {
        let row = try connection.statement(SQL.notesAfter)
        try row.bind(1, commit)
        var notes: [(commit: Int64, text: String)] = []
        while try row.step() { notes.append((row.integer(0), row.text(1))) }
        return notes
    }
}
