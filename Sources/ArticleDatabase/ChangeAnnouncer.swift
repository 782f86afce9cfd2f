import ArticleStore
import Platform
import Synchronization

/// Notifies observers of the changes of commits, in the order of the commits: of those of this
/// process before and after each, of those of others once they are visible.
///
/// The thread that writes brackets each of its commits by `begin` and `succeeded` or `failed`.
/// Another thread may announce what other processes commit (`follow`). Observers may be added from
/// any thread.
final class ChangeAnnouncer: Sendable {
    private let observers = Lock<[Observer]>([])
    private let clock: CommitSequence
    /// Whether a commit of this process is open. Nobody else can commit meanwhile.
    private let isOpen = Lock(false)
    private let seen = Atomic<Int64>(0)
    private let own = Atomic<Int64>(0)

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
        if let commits = connection.precedingCommits {
            if commits != lastCommit { announce(try snapshot.news(after: place), to: present) }
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
        guard !state.notified.isEmpty || connection.precedingCommits != nil,
            let last = effects.changes.last
        else { return }
        let snapshot = Snapshot(connection, limits)
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
    func succeeded(on connection: Connection) {
        if let sequence = state.pending.take() {
            state.lastSequence = sequence
            for observer in state.notified { observer.didCommit(through: sequence) }
        }
        if let commits = connection.precedingCommits {
            seen.store(commits + 1, ordering: .sequentiallyConsistent)
            own.store(commits + 1, ordering: .sequentiallyConsistent)
        }
        end()
    }

    /// Called after the transaction was rolled back, or could not begin.
    func failed() {
        if state.pending.take() != nil {
            // Forces the state to be read again.
            state.notifiedCount = 0
            state.epoch = nil
            for observer in state.notified { observer.didNotCommit(beyond: state.lastSequence) }
        }
        end()
    }

    private func end() {
        state.notified = []
        isOpen.withLock { $0 = false }
    }

    // MARK: Commits of other processes

    /// What observers were told of.
    struct Place: Hashable {
        var commits: Int64
        var sequence: Int64
        var epoch: Epoch?
    }

    /// The number of the last commit that observers were told of; 0 if commits have no numbers.
    var lastCommit: Int64 { seen.load(ordering: .sequentiallyConsistent) }

    /// The number of the last commit of this process; 0 if there is none.
    var lastOwnCommit: Int64 { own.load(ordering: .sequentiallyConsistent) }

    private var place: Place {
        Place(commits: lastCommit, sequence: state.lastSequence, epoch: state.epoch)
    }

    /// Begins after what the connection sees. Called once, before anything is committed.
    func start(on connection: Connection, _ limits: StoreLimits) throws(StoreError) {
        let news = try connection.readTransaction(limits) { (snapshot) throws(StoreError) in
            try snapshot.news(after: Place(commits: 0, sequence: .max))
        }
        isOpen.withLock { _ in adopt(news.place) }
    }

    /// Announces what the connection sees of the commits of others.
    ///
    /// - Returns: the number of the commit up to which everything was announced; `nil` if this
    ///   process is committing, which then announces what precedes its commit.
    func follow(on connection: Connection, _ limits: StoreLimits) throws(StoreError) -> Int64? {
        guard let place = isOpen.withLock({ $0 ? nil : place }) else { return nil }
        let news = try connection.readTransaction(limits) { (snapshot) throws(StoreError) in
            try snapshot.news(after: place)
        }
        return isOpen.withLock { isOpen in
            guard !isOpen, self.place == place else { return nil }
            announce(news, to: present())
            return news.place.commits
        }
    }

    private func announce(_ news: CommitNews, to present: [any ChangeObserver]) {
        if news.place.sequence > state.lastSequence || news.place.epoch != state.epoch {
            let changes = PendingChanges(sequence: news.place.sequence, records: news.changes)
            for observer in present { observer.willCommit(changes) }
            clock.advance()
            for observer in present { observer.didCommit(through: news.place.sequence) }
        } else {
            clock.advance()
        }
        adopt(news.place)
    }

    private func adopt(_ place: Place) {
        state.lastSequence = place.sequence
        state.epoch = place.epoch
        seen.store(place.commits, ordering: .sequentiallyConsistent)
    }
}

/// What other processes have committed since a place.
struct CommitNews {
    var place: ChangeAnnouncer.Place
    /// In order; `nil` if there are too many to list, or another history has begun.
    var changes: [ChangeRecord]?
}

extension SQL {
    /// Only PostgreSQL has a clock of commits.
    fileprivate static let commitCount: StaticString =
        "SELECT commits FROM commit_clock WHERE number = 1"
    fileprivate static let notesAfter: StaticString = """
        SELECT number, notes FROM commit_marks WHERE number > ?1 AND notes IS NOT NULL
        ORDER BY number
        """
}

extension Snapshot {
    /// What was committed after the place.
    fileprivate func news(after place: ChangeAnnouncer.Place) throws(StoreError) -> CommitNews {
        let last = try changeSequence()
        let present = ChangeAnnouncer.Place(
            commits: try commitCount(), sequence: last, epoch: try epoch())
        guard place.epoch == present.epoch, last - place.sequence <= CommitEffects.mostChanges
        else { return CommitNews(place: present, changes: nil) }
        let changes = try changes(after: place.sequence, limit: CommitEffects.mostChanges)
        let notes = CommitNotes(parsing: try notes(after: place.commits).map(\.text))
        return CommitNews(place: present, changes: notes.completing(changes))
    }

    private func commitCount() throws(StoreError) -> Int64 {
        let row = try connection.statement(SQL.commitCount)
        guard try row.step() else { throw .corrupt("the clock of commits is missing") }
        return row.integer(0)
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
