import BroadsheetPlatform
import BroadsheetSockets
import Dispatch
import Glibc

/// Starts the installed program on request, with the same arguments and `--take-over`.
final class SuccessorProcess: Sendable {
    /// The path of the program (`/proc/self/exe`), resolved before it could be replaced.
    private let program: String
    private let log: ServerLog
    private let state = Lock(State())

    private struct State {
        var isRunning = false
        /// The process, until it has ended.
        var starting: Int32?
        /// True if it is ready to take over, and watched by ``Successor``.
        var isReady = false
        /// True if it has contacted this process.
        var hasSpoken = false
        /// The reason for which it was ended.
        var reason: String?
        /// The reason it gave for ending by itself.
        var failure: String?
        /// Nothing is started any more.
        var isStopped = false
        /// Clients of `broadsheet upgrade` that wait for the outcome.
        var waiting: [DescriptorChannel] = []
        /// Those that came later: if this start fails, another one is made for them, as the program
        /// may have been replaced.
        var later: [DescriptorChannel] = []
    }

    /// The maximum silence of a new process, and then the maximum time for it to become ready.
    private let silenceSeconds: Double
    private let readySeconds: Double
    private let queue = DispatchQueue(label: "broadsheet.successor.watch")

    private static let limitWaiting = 16
    private static let flag = "--take-over"
    /// Variables by which a supervisor addresses this process only.
    private static let ownVariables: Set = [
        "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "WATCHDOG_PID",
    ]

    init(
        _ log: ServerLog, program: String = Files.resolved("/proc/self/exe"),
        silenceSeconds: Double = 20, readySeconds: Double = 60
    ) {
        self.program = program
        self.log = log
        self.silenceSeconds = silenceSeconds
        self.readySeconds = readySeconds
    }

    /// Starts the program, after the start that is under way. If the new process exits while this
    /// one still serves, that is logged.
    /// - Parameter client: receives the outcome.
    func start(for client: DescriptorChannel) {
        let isNew: Bool? = state.withLock { state in
            guard !state.isStopped, state.waiting.count + state.later.count < Self.limitWaiting
            else { return nil }
            guard !state.isRunning else {
                state.later.append(client)
                return false
            }
            (state.isRunning, state.waiting) = (true, [client])
            return true
        }
        guard let isNew else {
            return Self.send(.failed("the server cannot upgrade now"), to: [client])
        }
        if isNew { start() }
    }

    private func start() { start(with: ServerArguments(CommandLine.arguments)) {} }

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
            guard !state.isRunning, !state.isStopped else { return false }
            (state.isRunning, state.waiting) = (true, Array(clients.prefix(Self.limitWaiting)))
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
            state.withLock { $0.starting = process.id }
            end(process.id, afterSeconds: silenceSeconds, "said nothing") { !$0.hasSpoken }
            // A thread of its own, whatever blocks all others.
            DispatchQueue(label: "broadsheet.successor.wait").async {
                self.await(process)
                failed()
            }
        } catch {
            failed()
            log.error("cannot start a new process: \(error)")
            end(.failed("cannot start a new process: \(error)"))
        }
    }

    /// A process has made contact.
    func spoke(_ process: Int32) {
        let starting = state.withLock { state -> Int32? in
            guard let starting = state.starting, getpgid(process) == starting else { return nil }
            state.hasSpoken = true
            return starting
        }
        if let starting { end(starting, afterSeconds: readySeconds, "was not ready") { _ in true } }
    }

    /// A process is ready, and watched by ``Successor`` from now on.
    func isReady(_ process: Int32) {
        state.withLock { state in
            if let starting = state.starting, getpgid(process) == starting { state.isReady = true }
        }
    }

    /// Records that a process has reported that it does not take over, with the reason.
    ///
    /// - Returns: true if this process has started it.
    func failed(_ process: Int32, _ failure: String) -> Bool {
        state.withLock { state in
            guard let starting = state.starting, getpgid(process) == starting else { return false }
            state.failure = failure
            return true
        }
    }

    /// Reports that the new process is serving and this one exits.
    func serves(_ process: Int32) { end(.serving(process: process)) }

    /// Ends the process that is starting, with its children, and starts no other.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            if let process = state.starting { kill(-process, SIGKILL) }
        }
    }

    private func end(
        _ process: Int32, afterSeconds seconds: Double, _ what: String,
        if condition: @escaping @Sendable (State) -> Bool
    ) {
        queue.asyncAfter(deadline: .now() + seconds) { [state] in
            state.withLock { state in
                guard state.starting == process, !state.isReady, condition(state) else { return }
                state.reason = "\(what) for \(Int(seconds)) s and was ended"
                kill(-process, SIGKILL)
            }
        }
    }

    private func await(_ process: ChildProcess) {
        let status = process.wait()
        // Its children, if it has left any.
        kill(-process.id, SIGKILL)
        let signal = status & 0x7F
        let ended = signal == 0 ? "with status \(status >> 8 & 0xFF)" : "by signal \(signal)"
        let (reason, failure) = state.withLock { state in
            defer {
                (state.starting, state.reason, state.failure) = (nil, nil, nil)
                (state.hasSpoken, state.isReady) = (false, false)
            }
            return (state.reason, state.failure)
        }
        let why = failure.map { " (\($0))" } ?? ""
        let text = "the new process \(reason ?? "ended \(ended)")\(why); the old one continues"
        log.error(text)
        end(.failed(text))
    }

    private func end(_ message: UpgradeMessage) {
        let (waiting, late, startsAgain) = state.withLock { state in
            let (waiting, later) = (state.waiting, state.later)
            (state.waiting, state.later, state.isRunning) = ([], [], false)
            guard case .failed = message, !later.isEmpty, !state.isStopped else {
                return (waiting, later, false)
            }
            (state.waiting, state.isRunning) = (later, true)
            return (waiting, [], true)
        }
        Self.send(message, to: waiting)
        Self.send(
            .failed("another process has just taken over; upgrade again if the program is newer"),
            to: late)
        if startsAgain { start() }
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
        // A group of its own, so that its children can be ended with it.
        return try ChildProcess(program, arguments, environment: variables, inOwnGroup: true)
    }
}

/// The arguments of a server, of which some are those of another server.
struct ServerArguments {
    private(set) var list: [String]

    /// - Parameter arguments: the arguments of this process. The origin of its own takeover is no
    ///   longer of interest.
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
