import ArticleAccounts
import ArticleConnectors
import ArticleDatabase
import ArticleOperations
import ArticleResources
import ArticleServices
import ArticleStore
import BroadsheetCommandLine
import BroadsheetPlatform
import BroadsheetSockets
import Glibc

/// The parts that a serving process keeps from start to exit, even if it starts to serve again
/// because another process failed to take over.
struct ServerRun: Sendable {
    let sockets: ListenerSockets
    let certificates: Certificates?
    let requests: OperatorRequests
    let successors: SuccessorProcess
    let supervisor: Supervisor
    let log: ServerLog
    let output: ServerOutput
    let graceSeconds: Double
    let system: SystemEnvironment

    var patience: StartupRetry { StartupRetry(requests, supervisor, log, system) }

    /// The end of a run.
    enum End {
        /// - Parameter left: The work that has not ended.
        case stopped(left: [String])
        /// Another process continues.
        case handedOver(HandOver)
    }

    /// The state with which another process continues, and the remains of this one.
    struct HandOver {
        let successor: Successor
        let connections: HandedOffConnections
        /// Some clients are still receiving their responses.
        let servers: Servers
        /// The work that has not ended.
        let left: [String]
        /// True if the store's writer is free to close it.
        let isWritable: Bool
        /// Ends this process if it does not release the database.
        let deadline: Deadline
    }

    /// The outcome of a takeover.
    enum TakeoverOutcome {
        case serves
        /// The successor has ended; this process still has everything.
        case failed
        /// The successor has ended because this process was asked to stop.
        case stopped
    }

    /// The tasks whose absence clients notice at once.
    static let serving: Set = ["publication", "access", "limits", "streams"]

    /// Begins the work that goes on beside the servers.
    func begin(
        _ assembly: ServerAssembly,
        examining examine: @escaping @Sendable () -> [ServerStatistics.Finding]
    ) -> ServiceTasks {
        let tasks = ServiceTasks()
        tasks.start("publication") { await assembly.publisher.run() }
        tasks.start("access") { await assembly.backend.followAccess() }
        tasks.start("limits") { await assembly.backend.shareLimits(of: assembly.servers.articles) }
        tasks.start("streams") { await assembly.streams.run() }
        tasks.start("housekeeping") { await assembly.cleanupTask.run() }
        tasks.start("indexing") { await assembly.indexer.run() }
        tasks.start("webhooks") { await assembly.webhooks.run() }
        tasks.start("statistics") { await assembly.statistics.run(examining: examine) }
        tasks.start("sources") { await assembly.poller.run() }
        tasks.start("monitor") { await assembly.monitor.run() }
        if let providers = assembly.providers {
            tasks.start("providers") { await providers.run() }
        }
        return tasks
    }

    /// A new process is ready. From now on, the time is limited, whatever the threads do that would
    /// take notice of it.
    func handOver(to successor: Successor) {
        let limit = StopLimits.lastSeconds(graceSeconds: graceSeconds)
        let deadline = Deadline(seconds: limit) {
            // A stop has its own limit, and no successor.
            if !requests.isStopping { exit(leavingTo: successor) }
        }
        requests.handOver(to: successor, deadline)
    }

    /// Stops the servers, and the tasks beside them.
    ///
    /// - Returns: The work that has not ended.
    func stop(_ servers: Servers, _ tasks: ServiceTasks) async -> [String] {
        log.info("stopping: finishing requests in flight")
        async let leftover = tasks.end(withinSeconds: StopLimits.taskSeconds, but: Self.serving)
        await servers.stop(graceSeconds: graceSeconds)
        let left = await leftover + tasks.end(withinSeconds: StopLimits.servingSeconds)
        return left + (servers.connectionCount > 0 ? ["a request"] : [])
    }

    /// Stops the servers, without clients noticing, and the tasks beside them.
    func handOver(
        _ servers: Servers, _ tasks: ServiceTasks, _ store: any SQLStore, to successor: Successor,
        _ deadline: Deadline
    ) async -> HandOver {
        log.info("handing over to process \(successor.process)")
        // New work would only have to be waited for.
        async let leftover = tasks.end(withinSeconds: StopLimits.taskSeconds, but: Self.serving)
        async let isWritable = store.currentWriteEnds(withinSeconds: graceSeconds)
        let (connections, areFinished) =
            await servers.handOverCommands(graceSeconds: graceSeconds)
        var left = await leftover
        let writerIsFree = await isWritable
        // From here on, new clients wait.
        async let rest = tasks.end(withinSeconds: StopLimits.servingSeconds)
        let areAllFinished = await servers.handOverArticles(
            to: connections, graceSeconds: graceSeconds)
        left += await rest + (areFinished && areAllFinished ? [] : ["a request"])
        return HandOver(
            successor: successor, connections: connections, servers: servers, left: left,
            isWritable: writerIsFree, deadline: deadline)
    }

    /// Closes the store, but does not wait longer than this for a read or a write.
    ///
    /// - Parameter left: Gets those that have not ended.
    func close(
        _ store: any SQLStore, readSeconds: Double, writeSeconds: Double, left: inout [String]
    ) async -> StoreClosing {
        let closing = await store.close(readSeconds: readSeconds, writeSeconds: writeSeconds)
        switch closing {
        case .closed: break
        case .readsAreLeft: left.append("a read")
        case .writeIsLeft: left.append("a write")
        }
        for name in left { log.warning("\(name) is still running: abandoning it") }
        return closing
    }

    /// Ends the process without waiting for threads that may never end.
    func exitLeavingThreads() -> Never {
        sockets.close()
        output.flush(withinSeconds: 1)
        _exit(ExitStatus.ok.rawValue)
    }

    /// Ends the process, which releases the database: the successor serves it then.
    func exit(leavingTo successor: Successor, _ connections: HandedOffConnections? = nil) -> Never {
        log.error("work is still running: exiting so that process \(successor.process) can serve")
        if let connections {
            // A process that does not receive them nevertheless gets the database.
            do throws(SystemError) { try successor.pass(connections) } catch {}
        }
        sockets.disown()
        supervisor.succeeded(by: successor.process)
        successors.serves(successor.process)
        output.flush(withinSeconds: 0.5)
        _exit(ExitStatus.ok.rawValue)
    }

    /// Hands the connections and the closed file over to the successor. Nobody serves meanwhile, so
    /// the supervisor's watchdog is only notified of progress.
    func yield(
        _ database: String, to successor: Successor, with connections: HandedOffConnections
    ) async -> TakeoverOutcome {
        let upgradeBackup = Lock<UpgradeBackup?>(nil)
        successor.receive(
            database, connections,
            keep: { copy in upgradeBackup.withLock { $0 = copy } },
            progress: { [supervisor] in supervisor.isAlive() },
            concluded: requests.conclude)
        var isStopping = false
        while true {
            switch await requests.next() {
            case .handOver: continue
            case .stop:
                isStopping = true
                supervisor.stopping()
                log.info("stopping: process \(successor.process) will not take over")
                successor.end()
            case .conclude(.success) where !isStopping:
                sockets.disown()
                supervisor.succeeded(by: successor.process)
                successors.serves(successor.process)
                log.info("process \(successor.process) is serving now")
                return .serves
            case .conclude(let outcome):
                if !isStopping, case .failure(let error) = outcome {
                    let text = "process \(successor.process) did not take over"
                    log.error("\(text) (\(error.message)); this process continues")
                }
                successor.end()
                restore(upgradeBackup.withLock { $0 })
                if isStopping { log.info("stopped") }
                return isStopping ? .stopped : .failed
            }
        }
    }

    private func restore(_ upgradeBackup: UpgradeBackup?) {
        do throws(StoreOpeningError) {
            guard try upgradeBackup?.restoreIfNeeded() ?? false else { return }
            log.warning("restored the database to its state before the takeover")
        } catch { log.error("\(error)") }
    }

    /// Handles SIGHUP and the watchdog while the servers run, and notifies the supervisor.
    func startBackgroundTasks(_ servers: Servers) -> BackgroundTasks {
        let signals = SignalSources([SIGHUP]) { _ in reload() }
        supervisor.ready("serving")
        return BackgroundTasks(
            signals: signals, watchdog: Watchdog(supervisor, servers.articles))
    }

    private func reload() {
        supervisor.reloading()
        if let certificates {
            certificates.reload()
        } else {
            log.info("SIGHUP: there are no certificates to reload")
        }
        supervisor.ready("serving")
    }

    /// The parts that `startBackgroundTasks` started.
    struct BackgroundTasks {
        let signals: SignalSources
        let watchdog: Watchdog?

        func end() {
            signals.cancel()
            watchdog?.stop()
        }
    }
}

/// The time limits of the parts of stopping and handing over, beside `--grace`.
enum StopLimits {
    /// Background work, which ends while clients are served.
    static let taskSeconds = 2.0
    /// The parts that keep new clients waiting.
    static let servingSeconds = 0.25
    static let readSeconds = 0.1
    static let writeSeconds = 5.0

    /// All of it: then the process ends. Where others kill it after 10 s, it ends by itself.
    static func lastSeconds(graceSeconds: Double) -> Double { max(graceSeconds, 8) + 1.5 }
}
