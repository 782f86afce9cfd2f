import ArticleStore
import SQLiteStore
import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What a process that serves has from its start to its end, also when it serves anew because
/// another one failed to take over.
struct ServerRun: Sendable {
    let sockets: ListenerSockets
    let certificates: Certificates?
    let requests: OperatorRequests
    let successors: SuccessorProcess
    let supervisor: Supervisor
    let log: ServerLog
    let output: ServerOutput

    /// How serving ended.
    enum End {
        case stopped
        /// Another process is to go on, with these connections; some clients still take what the
        /// servers had for them.
        case yielded(Successor, PassedConnections, Servers)
    }

    /// What became of a successor.
    enum Succession {
        case serves
        /// It has ended, and everything is still here.
        case failed
        /// It has ended, because this process was told to stop.
        case stopped
    }

    /// Gives the next process what it needs; the file is closed. The supervisor's watchdog hears
    /// only of what gets on: nobody serves meanwhile.
    func yield(
        _ database: String, to successor: Successor, with connections: PassedConnections
    ) async -> Succession {
        let keepsake = Lock<DatabaseKeepsake?>(nil)
        successor.receive(
            database, connections,
            keep: { copy in keepsake.withLock { $0 = copy } },
            progress: { [supervisor] in supervisor.isAlive() },
            concluded: requests.conclude)
        var isStopping = false
        while true {
            switch await requests.next() {
            case .handOver: continue
            case .stop:
                isStopping = true
                supervisor.stopping()
                log.info("stopping: process \(successor.process) is not to take over any more")
                successor.end()
            case .conclude(.success) where !isStopping:
                sockets.disown()
                supervisor.succeeded(by: successor.process)
                successors.serves(successor.process)
                log.info("process \(successor.process) serves")
                return .serves
            case .conclude(let outcome):
                if !isStopping, case .failure(let error) = outcome {
                    let text = "process \(successor.process) did not take over"
                    log.error("\(text) (\(error.message)): this one goes on")
                }
                successor.end()
                putBack(keepsake.withLock { $0 })
                if isStopping { log.info("stopped") }
                return isStopping ? .stopped : .failed
            }
        }
    }

    private func putBack(_ keepsake: DatabaseKeepsake?) {
        do throws(StoreOpeningError) {
            guard try keepsake?.putBackIfNeeded() ?? false else { return }
            log.warning("the database is again as it was before the takeover")
        } catch { log.error("\(error)") }
    }

    /// Heeds signals and the supervisor's clock while the servers run, and tells that they do.
    func attend(_ servers: Servers) -> Attention {
        let signals = SignalSources([SIGHUP]) { _ in readAgain() }
        supervisor.ready("serving")
        return Attention(
            signals: signals, watchdog: Watchdog(supervisor, servers.articles))
    }

    private func readAgain() {
        supervisor.reloading()
        if let certificates {
            certificates.reload()
        } else {
            log.info("SIGHUP: there are no certificates to read again")
        }
        supervisor.ready("serving")
    }

    /// What `attend` began.
    struct Attention {
        let signals: SignalSources
        let watchdog: Watchdog?

        func end() {
            signals.cancel()
            watchdog?.stop()
        }
    }
}
