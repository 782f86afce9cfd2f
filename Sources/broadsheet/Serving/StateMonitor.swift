import ArticleDatabase
import ArticleOperations
import ArticleServices
import ArticleStore
import BroadsheetPlatform

/// Looks at the states of a running server every second, and logs their changes.
///
/// Safe to use from any thread.
final class StateMonitor: Sendable {
    private let store: any SQLStore
    private let health: HealthService
    private let log: ServerLog
    private let system: SystemEnvironment
    private let states = Lock(StateChangeLog())
    private let disk: Lock<Disk>

    /// The results of writes concerning the disk.
    private struct Disk {
        /// The counts of the store.
        var fullSteps: Int
        var writes: Int
        var isFull = false

        /// Without a write, nothing new is known.
        mutating func note(_ statistics: StoreStatistics) {
            if statistics.fullSteps > fullSteps {
                isFull = true
            } else if statistics.writes > writes {
                isFull = false
            }
            (fullSteps, writes) = (statistics.fullSteps, statistics.writes)
        }
    }

    private static let interval = Duration.seconds(1)

    init(
        _ store: any SQLStore, _ health: HealthService, _ log: ServerLog,
        _ system: SystemEnvironment
    ) {
        self.store = store
        self.health = health
        self.log = log
        self.system = system
        let statistics = store.statistics
        disk = Lock(Disk(fullSteps: statistics.fullSteps, writes: statistics.writes))
    }

    /// Looks until the task is cancelled.
    func run() async {
        // A store that does not respond must not hide why.
        async let _: Void = repeatedly { [self] in
            note(.readiness, await health.reasonNotReady().map(Self.notReady))
        }
        await repeatedly { [self] in checkStore() }
    }

    private func repeatedly(_ look: () async -> Void) async {
        while !Task.isCancelled {
            await look()
            // Cancelled: the loop ends.
            await system.sleep(Self.interval)
        }
    }

    private func checkStore() {
        let (statistics, node) = (store.statistics, store.node)
        let isFull = disk.withLock { disk in
            disk.note(statistics)
            return disk.isFull
        }
        note(.disk, isFull ? full : nil)
        note(.commits, statistics.commitDelay.map(Self.delayed))
        note(.database, node.isCurrent ? nil : node.failure.map(Self.cutOff))
        if !node.isAlone { note(.leadership, node.isLeader ? Self.leading : nil) }
    }

    private func note(_ subject: StateChangeLog.Subject, _ state: StateChangeLog.State?) {
        let now = Double(system.monotonicNanoseconds()) / 1e9
        guard let line = states.withLock({ $0.note(subject, state, at: now) }) else { return }
        if line.isEnd, line.level < .info {
            log.announce(line.text)
        } else {
            log.write(line.level, line.text)
        }
    }

    // MARK: States

    private var full: StateChangeLog.State {
        let ends = "the disk has room again: writes succeed"
        guard store.fileBytes != nil else {
            return StateChangeLog.State(
                level: .error, begins: "the disk of the database is full: writes get 507",
                ends: ends)
        }
        let free = FileSystem.freeBytes(at: store.path).map { ", with \($0) bytes free" } ?? ""
        return StateChangeLog.State(
            level: .error,
            begins: "the disk of \(store.path) is full\(free): writes get 507", ends: ends)
    }

    private static func delayed(_ delay: CommitDelay) -> StateChangeLog.State {
        let cause =
            switch delay {
            case .standby: "commits wait for a synchronous standby of the database"
            case .unknown: "a commit takes too long"
            }
        return StateChangeLog.State(
            level: .error, begins: "\(cause): writes get 503", ends: "commits complete again")
    }

    private static func cutOff(_ reason: String) -> StateChangeLog.State {
        StateChangeLog.State(
            level: .error, begins: "the database does not respond (\(reason)): requests get 503",
            ends: "the database responds again")
    }

    private static func notReady(_ reason: String) -> StateChangeLog.State {
        StateChangeLog.State(
            level: .warning, begins: "/readyz is 503: \(reason)", ends: "/readyz is 200 again")
    }

    private static let leading = StateChangeLog.State(
        level: .info,
        begins: "this server leads: it publishes, calls webhooks, polls sources and cleans up",
        ends: "this server is no longer the leader")
}
