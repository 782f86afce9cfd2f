import Network

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What a process that serves has from its start to its end, also when it serves anew because
/// another one failed to take over.
struct Tenure: Sendable {
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
        /// Another process is to go on, with these connections.
        case yielded(Successor, PassedConnections)
    }

    /// Gives the next process what it needs; the file is closed.
    /// - Returns: whether it serves. Otherwise everything is still here.
    func hasYielded(to successor: Successor, with connections: PassedConnections) -> Bool {
        // A migration may take its time.
        let watchdog = Watchdog(supervisor, nil)
        defer { watchdog?.stop() }
        do throws(SystemError) {
            try successor.pass(connections)
            guard successor.yield() else { throw SystemError("takeover", code: ECONNRESET) }
        } catch {
            log.error("process \(successor.process) did not take over (\(error)): this one goes on")
            return false
        }
        sockets.disown()
        supervisor.succeeded(by: successor.process)
        successors.serves(successor.process)
        log.info("stopped: process \(successor.process) serves")
        return true
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
