import Dispatch
import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Starts this program anew, as it lies on the disk by then, with the same arguments and
/// `--take-over`, when somebody asks for it.
final class SuccessorProcess: Sendable {
    /// Where the program lies (`/proc/self/exe`), read before it could be replaced.
    private let program: String
    private let log: ServerLog
    private let state = Lock(State())

    private struct State {
        var isRunning = false
        /// Who waits to hear what becomes of it.
        var waiting: [DescriptorChannel] = []
    }

    private static let waitingLimit = 16
    private static let flag = "--take-over"
    /// What a supervisor told this very process.
    private static let ownVariables: Set = [
        "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "WATCHDOG_PID",
    ]

    init(_ log: ServerLog) {
        program = Files.resolved("/proc/self/exe")
        self.log = log
    }

    /// Starts it, unless one is under way. If it ends while this one still serves, the log says
    /// so.
    /// - Parameter asker: is told what becomes of it.
    func start(for asker: DescriptorChannel) {
        let isNew = state.withLock { state in
            if state.waiting.count < Self.waitingLimit { state.waiting.append(asker) }
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isNew else { return }
        do throws(SystemError) {
            let process = try spawn()
            log.info("started process \(process.id) to take over")
            DispatchQueue.global().async { self.await(process) }
        } catch {
            log.error("no new process: \(error)")
            end(.failed("no new process: \(error)"))
        }
    }

    /// The new process serves, and this one ends.
    func serves(_ process: Int32) { end(.serving(process: process)) }

    private func await(_ process: ChildProcess) {
        let status = process.wait()
        let signal = status & 0x7F
        let how = signal == 0 ? "with status \(status >> 8 & 0xFF)" : "by signal \(signal)"
        let text = "the new process ended \(how): the old one goes on"
        log.error(text)
        end(.failed(text))
    }

    private func end(_ message: UpgradeMessage) {
        let waiting = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        for asker in waiting {
            // Who has gone meanwhile need not be told.
            do throws(SystemError) { try asker.send(message.line) } catch {}
        }
    }

    private func spawn() throws(SystemError) -> ChildProcess {
        var arguments = CommandLine.arguments
        if !arguments.contains(Self.flag) { arguments.append(Self.flag) }
        let variables = Environment.all { !Self.ownVariables.contains($0) }
        return try ChildProcess(program, arguments, environment: variables)
    }
}
