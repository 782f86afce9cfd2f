import Dispatch
import Platform
import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Starts the installed program on request, with the same arguments and `--take-over`.
final class SuccessorProcess: Sendable {
    /// The path of the program (`/proc/self/exe`), resolved before it could be replaced.
    private let program: String
    private let log: ServerLog
    private let state = Lock(State())

    private struct State {
        var isRunning = false
        /// Clients of `broadsheet upgrade` that wait for the outcome.
        var waiting: [DescriptorChannel] = []
    }

    private static let waitingLimit = 16
    private static let flag = "--take-over"
    /// Variables by which a supervisor addresses this process only.
    private static let ownVariables: Set = [
        "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "WATCHDOG_PID",
    ]

    init(_ log: ServerLog) {
        program = Files.resolved("/proc/self/exe")
        self.log = log
    }

    /// Starts the program unless a start is already under way. If the new process exits while this
    /// one still serves, that is logged.
    /// - Parameter client: receives the outcome.
    func start(for client: DescriptorChannel) {
        let isNew = state.withLock { state in
            if state.waiting.count < Self.waitingLimit { state.waiting.append(client) }
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isNew else { return }
        do throws(SystemError) {
            let process = try spawn()
            log.info("started process \(process.id) to take over")
            DispatchQueue.global().async { self.await(process) }
        } catch {
            log.error("cannot start a new process: \(error)")
            end(.failed("cannot start a new process: \(error)"))
        }
    }

    /// Reports that the new process is serving and this one exits.
    func serves(_ process: Int32) { end(.serving(process: process)) }

    private func await(_ process: ChildProcess) {
        let status = process.wait()
        let signal = status & 0x7F
        let how = signal == 0 ? "with status \(status >> 8 & 0xFF)" : "by signal \(signal)"
        let text = "the new process ended \(how); the old one continues"
        log.error(text)
        end(.failed(text))
    }

    private func end(_ message: UpgradeMessage) {
        let waiting = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        for client in waiting {
            // A client that has disconnected does not need the outcome.
            do throws(SystemError) { try client.send(message.line) } catch {}
        }
    }

    private func spawn() throws(SystemError) -> ChildProcess {
        var arguments = CommandLine.arguments
        if !arguments.contains(Self.flag) { arguments.append(Self.flag) }
        let variables = Environment.all { !Self.ownVariables.contains($0) }
        return try ChildProcess(program, arguments, environment: variables)
    }
}
