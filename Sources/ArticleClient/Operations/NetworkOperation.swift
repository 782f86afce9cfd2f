/// Work that a queue does when its turn comes; it ends exactly once.
///
/// One that is cancelled before its turn never runs. One that depends on others runs when they
/// have succeeded, and fails with the reason of the first that fails.
public final class NetworkOperation: Sendable {
    public typealias Outcome = Result<Void, BackendError>

    /// Whose turn comes first among those that could run.
    public enum Priority: Int, Sendable, Hashable, Comparable {
        case low, normal, high

        public static func < (left: Priority, right: Priority) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// What a queue can tell of it.
    enum Readiness {
        case waiting
        case ready
        case failed(BackendError)
    }

    private enum Lifecycle {
        case waiting
        case running(Task<Void, Never>?)
        case ended(Outcome)
    }

    private struct State {
        var lifecycle = Lifecycle.waiting
        var isQueued = false
        var handlers: [@Sendable (Outcome) -> Void] = []
    }

    public let priority: Priority
    /// What it can be cancelled by, together with others.
    public let group: String?
    public let dependencies: [NetworkOperation]
    private let work: @Sendable () async -> Outcome
    private let state = Guarded(State())

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
        self.dependencies = dependencies
        self.work = work
    }

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

    /// Waits until it has ended. To stop waiting does not cancel it.
    public func ended() async -> Outcome {
        await withUnsafeContinuation { continuation in
            whenEnded { continuation.resume(returning: $0) }
        }
    }

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

    /// Runs the work, unless it runs or has ended.
    ///
    /// - Parameter isDone: called once when no work runs any more, which may be after the end.
    func begin(_ isDone: @escaping @Sendable () -> Void) {
        let begins = state.withLock { state in
            guard case .waiting = state.lifecycle else { return false }
            state.lifecycle = .running(nil)
            return true
        }
        guard begins else { return isDone() }
        let task = ClientTask.startApart { [self] in
            end(await work())
            isDone()
        }
        let isCancelled = state.withLock { state in
            guard case .running = state.lifecycle else { return true }
            state.lifecycle = .running(task)
            return false
        }
        if isCancelled { task.cancel() }
    }

    func end(_ outcome: Outcome) {
        let (handlers, task) = state.withLock { state in
            var running: Task<Void, Never>?
            switch state.lifecycle {
            case .ended: return ([@Sendable (Outcome) -> Void](), nil as Task<Void, Never>?)
            case .running(let task): running = task
            case .waiting: break
            }
            state.lifecycle = .ended(outcome)
            defer { state.handlers = [] }
            return (state.handlers, running)
        }
        task?.cancel()
        for handler in handlers { handler(outcome) }
    }
}
