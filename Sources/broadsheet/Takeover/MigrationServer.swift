import ArticleDatabase
import ArticleStore
import BroadsheetCommandLine
import BroadsheetPlatform
import BroadsheetSockets
import Dispatch

/// Moves the database of this process to the other engine: copies it while it is in use, follows
/// its changes, and finally lets a new process serve the copy.
final class MigrationServer: Sendable {
    private let store: any SQLStore
    /// The value of `--database`.
    private let database: String
    private let processes: SuccessorProcess
    private let log: ServerLog
    private let system: SystemEnvironment
    private let queue = DispatchQueue(label: "broadsheet.migration", attributes: .concurrent)
    private let state = Lock(State())
    /// Signalled when a takeover is requested.
    private let isRequested = DispatchSemaphore(value: 0)

    private struct State {
        /// The target of the running migration.
        var target: String?
        var isFollowing = false
        /// Commands that wait for the takeover.
        var waiting: [DescriptorChannel] = []
    }

    /// Minimum time between two looks at the source.
    private static let pauseMilliseconds = 200
    /// The copy is not older than this, unless looking for changes takes longer.
    private static let lagMilliseconds = 1_000
    private static let limitWaiting = 8
    private static let timeoutSeconds = 60

    init(
        _ store: any SQLStore, _ database: String, _ processes: SuccessorProcess, _ log: ServerLog,
        _ system: SystemEnvironment
    ) {
        self.store = store
        self.database = database
        self.processes = processes
        self.log = log
        self.system = system
    }

    /// Serves `broadsheet migrate`.
    func receive(_ connection: consuming Descriptor) {
        serve(connection) { (target, channel) in
            let isFirst = self.state.withLock { state in
                guard state.target == nil else { return false }
                state = State(target: target)
                return true
            }
            guard isFirst else { return self.send("another migration is running", to: channel) }
            let failure = self.migrate(to: target, for: channel)
            let waiting = self.state.withLock { state in
                defer { state = State() }
                return state.waiting
            }
            guard let failure else { return }
            self.log.error("the migration ended: \(failure.message)")
            for client in waiting + [channel] { self.send(failure.message, to: client) }
        }
    }

    /// Serves `broadsheet upgrade --from`.
    func receiveTakeoverRequest(_ connection: consuming Descriptor) {
        serve(connection) { (target, channel) in
            let isReady = self.state.withLock { state in
                guard state.target == target, state.isFollowing,
                    state.waiting.count < Self.limitWaiting
                else { return false }
                state.waiting.append(channel)
                return true
            }
            guard isReady else {
                let reason = "no broadsheet migrate is waiting to switch to \(target)"
                return self.send(reason, to: channel)
            }
            self.isRequested.signal()
        }
    }

    private func serve(
        _ connection: consuming Descriptor,
        _ body: @escaping @Sendable (String, DescriptorChannel) -> Void
    ) {
        let raw = connection.release()
        queue.async {
            do throws(SystemError) {
                let channel = try DescriptorChannel(
                    Descriptor(raw), timeoutSeconds: Self.timeoutSeconds)
                let line = try channel.receiveLine()
                guard case .to(let target)? = line.flatMap({ MigrationMessage($0) }) else { return }
                body(target, channel)
            } catch { self.log.warning("a request to migrate failed: \(error)") }
        }
    }

    private func send(_ failure: String, to channel: DescriptorChannel) {
        let text = failure.replacing("\n", with: " ")
        // A command that has ended does not need the reason.
        do throws(SystemError) { try channel.send(UpgradeMessage.failed(text).line) } catch {}
    }

    // MARK: One migration

    /// Returns why the database was not moved; `nil` if a process was started to serve it.
    private func migrate(
        to target: String, for channel: DescriptorChannel
    ) -> CommandFailure? {
        do throws(StoreError) {
            let migration = try store.migration(to: target)
            log.info("copying the database to \(target)")
            do throws(StoreError) {
                try follow(migration, channel)
                try complete(migration, channel)
            } catch {
                migration.abandon()
                throw error
            }
            takeOver(migration, to: target, channel)
            return nil
        } catch { return CommandFailure(ofMigration: error.cause) }
    }

    /// Copies everything, and follows until a takeover is requested.
    private func follow(
        _ migration: any OngoingMigration, _ channel: DescriptorChannel
    ) throws(StoreError) {
        try migration.copy { (step) throws(StoreError) in
            try Self.report(MigrationMessage(step), to: channel)
        }
        var last = Int.max
        while true {
            let start = system.uptimeMilliseconds
            let rows = try migration.follow()
            let milliseconds = Int(system.uptimeMilliseconds - start)
            // A database can be so large that to look for changes takes longer.
            let hasCaughtUp =
                milliseconds + Self.pauseMilliseconds <= Self.lagMilliseconds
                || milliseconds >= last
            last = milliseconds
            guard hasCaughtUp else {
                try Self.report(.catchingUp(rows: rows), to: channel)
                continue
            }
            // The pause is as long as the work, if the lag allows it.
            let pause = max(
                Self.pauseMilliseconds, min(milliseconds, Self.lagMilliseconds - milliseconds))
            try Self.report(
                .following(rows: rows, milliseconds: milliseconds + pause), to: channel)
            let isAsked = state.withLock { state in
                state.isFollowing = true
                return !state.waiting.isEmpty
            }
            if isAsked { return }
            _ = isRequested.wait(timeout: .now() + .milliseconds(pause))
        }
    }

    private func complete(
        _ migration: any OngoingMigration, _ channel: DescriptorChannel
    ) throws(StoreError) {
        log.info("rejecting writes until the rest is copied and verified")
        let report = try migration.complete()
        for table in report.tables where table.rows > 0 {
            try Self.report(
                .same(table: table.name, rows: table.rows, digest: table.digest), to: channel)
        }
        try Self.report(
            .moved(tables: report.tables.count, sequence: report.sequence), to: channel)
    }

    /// Starts a process that serves the target. If it fails, writes go where they went before.
    private func takeOver(
        _ migration: any OngoingMigration, to target: String, _ channel: DescriptorChannel
    ) {
        let hasFailed = DispatchSemaphore(value: 0)
        let clients = state.withLock { $0.waiting } + [channel]
        processes.start(for: clients, serving: target, movedFrom: database) { hasFailed.signal() }
        // If it does not fail, this process ends.
        hasFailed.wait()
        migration.abandon()
        log.warning("\(target) was emptied; writes are accepted again")
    }

    private static func report(
        _ message: MigrationMessage, to channel: DescriptorChannel
    ) throws(StoreError) {
        do throws(SystemError) { try channel.send(message) } catch {
            throw .unavailable("broadsheet migrate was interrupted")
        }
    }
}

extension StoreError {
    /// The error that a caller's closure threw, or the error itself.
    fileprivate var cause: any Error {
        if case .rejected(let reason) = self { reason } else { self }
    }
}
