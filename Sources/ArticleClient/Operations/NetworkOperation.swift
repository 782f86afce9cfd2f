/// Work that a queue does when its turn comes; it ends exactly once.
///
/// One that is cancelled before its turn never runs. One that depends on others runs when they
/// have succeeded, and fails with the reason of the first that fails. It runs with the task-local
/// values of whoever added it, whatever ran before it. When it has ended it holds nothing any more
/// but its outcome.
///
/// `queue.add(NetworkOperation(priority: .low, group: "images") { await download(image) })`
public final class NetworkOperation: Sendable {
    public typealias Outcome = Result<Void, BackendError>

    /// Whose turn comes first among those that could run, and how urgently the system runs them.
    public enum Priority: Int, Sendable, Hashable, Comparable {
        /// At most as a utility: what nobody waits for.
        case low
        /// As whoever added it.
        case normal
        /// At least as what a user began.
        case high

        public static func < (left: Priority, right: Priority) -> Bool {
            left.rawValue < right.rawValue
        }

        /// The priority of the operation's task.
        func task(of adder: TaskPriority) -> TaskPriority {
            switch self {
            case .low: min(adder, .utility)
            case .normal: adder
            case .high: max(adder, .userInitiated)
            }
        }
    }

    /// What a queue can tell of it.
    enum Readiness {
        case waiting
        case ready
        case failed(BackendError)
    }

    private typealias Work = @Sendable () async -> Outcome

    private enum Lifecycle {
        case waiting
        case running
        case ended(Outcome)
    }

    private struct State {
        var lifecycle = Lifecycle.waiting
        var isQueued = false
        var handlers: [@Sendable (Outcome) -> Void] = []
        var dependencies: [NetworkOperation]
        var work: Work?
        /// Made by whoever added it, for the sake of the context; it waits for its turn.
        var task: Task<Void, Never>?
        var turn: UnsafeContinuation<Work?, Never>?
        /// Called when no work runs any more.
        var isDone: (@Sendable () -> Void)?
    }

    public let priority: Priority
    /// What it can be cancelled by, together with others.
    public let group: String?
    private let state: Locked<State>
    /// Who waits for the end; each can leave alone.
    private let ending = SharedTask<Void>(outlivesWaiters: true)

    /// - Parameters:
    ///   - priority: whose turn comes first.
    ///   - group: what it can be cancelled by, together with others.
    ///   - dependencies: what has to succeed before; they are known before it, so that no two can
    ///     wait for each other.
    ///   - work: heeds cancellation of its task.
    public init(
        priority: Priority = .normal, group: String? = nil,
        after dependencies: [NetworkOperation] = [],
        _ work: @escaping @Sendable () async -> Outcome
    ) {
        self.priority = priority
        self.group = group
        state = Locked(State(dependencies: dependencies, work: work))
    }

    deinit {
        // Chains are taken apart link by link: to let go of the first of many would let go of the
        // next within it, and so on, until the stack is full.
        var links = takeDependencies()
        while var link = links.popLast() {
            if isKnownUniquelyReferenced(&link) { links += link.takeDependencies() }
        }
    }

    /// What has to succeed before; nothing once this one has ended.
    public var dependencies: [NetworkOperation] { state.withLock { $0.dependencies } }

    /// How it ended; `nil` before that.
    public var outcome: Outcome? {
        state.withLock { if case .ended(let outcome) = $0.lifecycle { outcome } else { nil } }
    }

    /// Ends it with `cancelled`, now, unless it has ended; what it was doing is cancelled too.
    public func cancel() { end(.failure(.cancelled)) }

    /// Calls the handler when it has ended, once, on any thread; at once if it has already.
    public func whenEnded(_ handler: @escaping @Sendable (Outcome) -> Void) {
        let early: Outcome? = state.withLock { state in
            if case .ended(let outcome) = state.lifecycle { return outcome }
            state.handlers.append(handler)
            return nil
        }
        if let early { handler(early) }
    }

    /// Waits until it has ended. A task that is cancelled stops waiting, with `cancelled`; the
    /// operation goes on.
    public func ended() async -> Outcome { await ending.join() ?? .failure(.cancelled) }

    // MARK: For queues

    /// Whether no queue has had it before.
    func claim() -> Bool {
        state.withLock { state in
            defer { state.isQueued = true }
            return !state.isQueued
        }
    }

    var readiness: Readiness {
        var isReady = true
        for dependency in dependencies {
            switch dependency.outcome {
            case .failure(let error)?: return .failed(error)
            case .success?: continue
            case nil: isReady = false
            }
        }
        return isReady ? .ready : .waiting
    }

    /// Makes the task that it will run in, of the caller's context. Once, before `begin`.
    func prepare() {
        let task = ClientTask.startApart(priority: priority.task(of: Task.currentPriority)) {
            [self] in
            if let work = await turn() { end(await work()) }
            state.withLock { $0.isDone.take() }?()
        }
        let isOver = state.withLock { state in
            if case .ended = state.lifecycle { return true }
            state.task = task
            return false
        }
        if isOver { task.cancel() }
    }

    /// Lets the work run, unless it runs or has ended.
    ///
    /// - Parameter isDone: called once when no work runs any more, which may be after the end.
    func begin(_ isDone: @escaping @Sendable () -> Void) {
        let (begins, turn, work) = state.withLock { state in
            guard case .waiting = state.lifecycle else {
                return (false, nil as UnsafeContinuation<Work?, Never>?, nil as Work?)
            }
            state.lifecycle = .running
            state.isDone = isDone
            let turn = state.turn.take()
            return (true, turn, turn == nil ? nil : state.work.take())
        }
        guard begins else { return isDone() }
        turn?.resume(returning: work)
    }

    /// The work when its turn has come; `nil` if it ended before.
    private func turn() async -> Work? {
        await withUnsafeContinuation { continuation in
            let early: Work?? = state.withLock { state in
                switch state.lifecycle {
                case .waiting:
                    state.turn = continuation
                    return nil
                case .running: return .some(state.work.take())
                case .ended: return .some(nil)
                }
            }
            if let early { continuation.resume(returning: early) }
        }
    }

    func end(_ outcome: Outcome) {
        let last: State? = state.withLock { state in
            if case .ended = state.lifecycle { return nil }
            let last = state
            state = State(
                lifecycle: .ended(outcome), isQueued: state.isQueued, dependencies: [],
                isDone: state.isDone)
            return last
        }
        // Whatever it held goes here, outside of the lock.
        guard let last else { return }
        last.turn?.resume(returning: nil)
        last.task?.cancel()
        ending.end(outcome)
        for handler in last.handlers { handler(outcome) }
    }

    private func takeDependencies() -> [NetworkOperation] {
        state.withLock { state in
            defer { state.dependencies = [] }
            return state.dependencies
        }
    }
}
