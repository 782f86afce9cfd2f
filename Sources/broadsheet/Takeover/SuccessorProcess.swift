import Dispatch
import Glibc
import Platform
import Sockets

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
        if isNew { start(with: ServerArguments(Environment.arguments)) {} }
    }

    /// Starts the program to serve another database, to which the one of this process was moved.
    ///
    /// - Parameters:
    ///   - clients: receive the outcome.
    ///   - failed: called if the new process does not take over.
    func start(
        for clients: [DescriptorChannel], serving database: String, movedFrom former: String,
        failed: @escaping @Sendable () -> Void
    ) {
        var arguments = ServerArguments(Environment.arguments)
        arguments.set("--database", to: database)
        arguments.set("--take-over-from", to: former)
        let isNew = state.withLock { state in
            guard !state.isRunning else { return false }
            state = State(isRunning: true, waiting: Array(clients.prefix(Self.waitingLimit)))
            return true
        }
        guard isNew else {
            Self.send(.failed("an upgrade is in progress"), to: clients)
            return failed()
        }
        start(with: arguments, failed: failed)
    }

    private func start(with arguments: ServerArguments, failed: @escaping @Sendable () -> Void) {
        do throws(SystemError) {
            let process = try spawn(arguments)
            log.info("started process \(process.id) to take over")
            DispatchQueue.global().async {
                self.await(process)
                failed()
            }
        } catch {
            failed()
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
        Self.send(message, to: waiting)
    }

    private static func send(_ message: UpgradeMessage, to clients: [DescriptorChannel]) {
        for client in clients {
            // A client that has disconnected does not need the outcome.
            do throws(SystemError) { try client.send(message.line) } catch {}
        }
    }

    private func spawn(_ arguments: ServerArguments) throws(SystemError) -> ChildProcess {
        var arguments = arguments.list
        if !arguments.contains(Self.flag) { arguments.append(Self.flag) }
        let variables = Environment.all { !Self.ownVariables.contains($0) }
        return try ChildProcess(program, arguments, environment: variables)
    }
}

/// The arguments of a server, of which some are those of another server.
struct ServerArguments {
    private(set) var list: [String]

    /// - Parameter arguments: of this process. Where it took over from, is of no interest any more.
    init(_ arguments: [String]) {
        list = arguments
        remove("--take-over-from")
    }

    /// Replaces the value of an option, or adds it.
    mutating func set(_ flag: String, to value: String) {
        remove(flag)
        list += [flag, value]
    }

    /// Removes `--flag value` or `--flag=value`.
    private mutating func remove(_ flag: String) {
        while let index = list.firstIndex(where: { $0 == flag || $0.hasPrefix(flag + "=") }) {
            let end = list[index] == flag ? min(index + 2, list.count) : index + 1
            list.removeSubrange(index..<end)
        }
    }
}
