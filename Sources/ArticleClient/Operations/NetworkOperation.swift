public import ArticleAPI

/// Work that a queue runs when its turn comes; it ends exactly once.
///
/// An operation that is cancelled before its turn never runs. An operation with dependencies runs
/// when they have succeeded, and fails with the error of the first one that fails. It runs with the
/// task-local values of the task that added it. When it has ended, it releases its work. Safe to
/// use from any thread.
///
/// ```swift
/// let preview = NetworkOperation(priority: .low, group: "images") { await download("small") }
/// let image = NetworkOperation(group: "images", after: [preview]) { await download("large") }
/// queue.add(preview)
/// queue.add(image)
/// ```
public final class NetworkOperation: Sendable {
    public typealias Outcome = Result<Void, BackendError>

    /// The order among operations that are ready, and the priority of their tasks.
    public enum Priority: Int, Sendable, Hashable, Comparable {
        /// At most `utility`, for work that no one waits for.
        case low
        /// The priority of the task that added it.
        case normal
        /// At least `userInitiated`.
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

    /// The state of an operation for a queue: one that can be run, waits, or has failed.
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
        var priority: Priority
        var lifecycle = Lifecycle.waiting
        var isQueued = false
        var handlers: [@Sendable (Outcome) -> Void] = []
        var dependencies: [NetworkOperation]
        var work: Work?
        /// The task that waits for its turn; it is created in the context of the task that added
        /// it.
        var task: Task<Void, Never>?
        var turn: UnsafeContinuation<Work?, Never>?
        /// Called when the work has stopped.
        var isDone: (@Sendable () -> Void)?
    }

    /// The name by which it can be cancelled or paused together with others.
    public let group: String?
    /// The sessions that this operation, or one before it, begins or ends; one for each account
    /// manager.
    let sessions: [NextSession]
    private let state: Locked<State>
    /// Those who wait for the end; each can leave independently.
    private let ending = SharedTask<Void>(outlivesWaiters: true)

    /// - Parameters:
    ///   - priority: the order among operations that are ready.
    ///   - group: the name by which it can be cancelled together with others.
    ///   - dependencies: the operations that must succeed first; they exist before this one, so
    ///     that there are no cycles.
    ///   - work: must respond to the cancellation of its task.
    public convenience init(
        priority: Priority = .normal, group: String? = nil,
        after dependencies: [NetworkOperation] = [],
        _ work: @escaping @Sendable () async -> Outcome
    ) {
        self.init(priority: priority, group: group, after: dependencies, session: nil, work)
    }

    /// - Parameter session: the session that the operation begins or ends.
    init(
        priority: Priority, group: String?, after dependencies: [NetworkOperation],
        session: NextSession?, _ work: @escaping @Sendable () async -> Outcome
    ) {
        self.group = group
        sessions = NextSession.sessions(behind: dependencies, and: session)
        state = Locked(State(priority: priority, dependencies: dependencies, work: work))
    }

    deinit {
        // Long chains are released link by link: releasing them recursively would overflow the
        // stack.
        var links = takeDependencies()
        while var link = links.popLast() {
            if isKnownUniquelyReferenced(&link) { links += link.takeDependencies() }
        }
    }

    /// The order among operations that are ready; `NetworkQueue.setPriority` changes it.
    public var priority: Priority { state.withLock { $0.priority } }

    func setPriority(_ priority: Priority) { state.withLock { $0.priority = priority } }

    /// The operations that must succeed first; empty once this one has ended.
    public var dependencies: [NetworkOperation] { state.withLock { $0.dependencies } }

    /// The outcome of the operation; `nil` if it has not ended yet.
    public var outcome: Outcome? {
        state.withLock { if case .ended(let outcome) = $0.lifecycle { outcome } else { nil } }
    }

    /// Ends it with `cancelled` at once, unless it has ended, and cancels its work.
    public func cancel() { end(.failure(.cancelled)) }

    /// Calls the handler once when it has ended, on any thread; at once if it has already ended.
    public func whenEnded(_ handler: @escaping @Sendable (Outcome) -> Void) {
        let early: Outcome? = state.withLock { state in
            if case .ended(let outcome) = state.lifecycle { return outcome }
            state.handlers.append(handler)
            return nil
        }
        if let early { handler(early) }
    }

    /// Waits until it has ended and the handlers have returned that were there. A cancelled task
    /// stops waiting, with `cancelled`; the operation continues.
    public func ended() async -> Outcome { await ending.join() ?? .failure(.cancelled) }

    // MARK: For queues

    /// Claims the operation for a queue; false if it was in a queue before.
    func claim() -> Bool {
        state.withLock { state in
            defer { state.isQueued = true }
            return !state.isQueued
        }
    }

    /// True if it is or was in a queue, or has ended: its end is certain.
    var isScheduled: Bool {
        state.withLock { if case .ended = $0.lifecycle { true } else { $0.isQueued } }
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

    /// Creates its task in the caller's context. Called once, before `begin`.
    func prepare() {
        let task = ClientTask.startDetached(priority: priority.task(of: Task.currentPriority)) {
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

    /// Runs the work unless it is running or has ended.
    ///
    /// - Parameter isDone: called once when the work has stopped, which may be after the end.
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

    /// Waits for its turn and returns the work; `nil` if it ended before.
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
                priority: state.priority, lifecycle: .ended(outcome), isQueued: state.isQueued,
                dependencies: [],
                isDone: state.isDone)
            return last
        }
        // Its former objects are released here, outside of the lock.
        guard let last else { return }
        last.turn?.resume(returning: nil)
        last.task?.cancel()
        for handler in last.handlers { handler(outcome) }
        ending.end(outcome)
    }

    private func takeDependencies() -> [NetworkOperation] {
        state.withLock { state in
            defer { state.dependencies = [] }
            return state.dependencies
        }
    }
}

/// A request as an operation, which a queue sends when its turn comes.
///
/// It belongs to the session in which it was made, or to the one that an operation before it has
/// begun, such as a ``SignInOperation``. It ends exactly once. Safe to use from any thread.
///
/// ```swift
/// let tags = ServiceOperation(FetchTagsRequest(), on: backend, priority: .high)
/// queue.add(tags)
/// let page = try await tags.value()
/// ```
public final class ServiceOperation<Request: BackendAPIRequest>: Sendable {
    public let request: Request
    /// The untyped operation, for queues and dependencies.
    public let operation: NetworkOperation
    private let item: Locked<Request.Item?>

    public init(
        _ request: Request, on service: BackendService, options: RequestOptions = .init(),
        priority: NetworkOperation.Priority = .normal, group: String? = nil,
        after dependencies: [NetworkOperation] = []
    ) {
        self.request = request
        let item = Locked<Request.Item?>(nil)
        self.item = item
        // It belongs to the session in which it was created, however long it is queued.
        let session = service.auth.sessionID
        let auth = service.auth
        let former = NextSession.sessions(behind: dependencies).first { $0.auth === auth }
        let next = SessionEffect(of: request).map { _ in NextSession(auth) }
        operation = NetworkOperation(
            priority: priority, group: group, after: dependencies, session: next
        ) {
            await service.result(
                of: request, options: options, in: former?.id ?? session, next: next
            ).map { value in item.withLock { $0 = value } }
        }
    }

    public func cancel() { operation.cancel() }

    /// Waits for the item, and until the handlers have returned that were there. A cancelled task
    /// stops waiting, with `cancelled`; the operation continues.
    public func value() async throws(BackendError) -> Request.Item {
        try result(await operation.ended()).get()
    }

    /// Calls the handler once when it has ended, on any thread.
    public func whenEnded(
        _ handler: @escaping @Sendable (Result<Request.Item, BackendError>) -> Void
    ) {
        operation.whenEnded { [self] in handler(result($0)) }
    }

    private func result(_ outcome: NetworkOperation.Outcome) -> Result<Request.Item, BackendError> {
        outcome.flatMap {
            // It has succeeded, so there is an item.
            item.withLock { $0 }.map { .success($0) } ?? .failure(.cancelled)
        }
    }
}

extension BackendService {
    /// Sends the request and calls exactly one of the two closures, once, on any thread.
    /// - Returns: an operation that can cancel the request.
    @discardableResult
    public func send<Request: BackendAPIRequest>(
        _ request: Request, options: RequestOptions = .init(),
        success: @escaping @Sendable (Request.Item) -> Void,
        failure: @escaping @Sendable (BackendError) -> Void
    ) -> ServiceOperation<Request> {
        let operation = ServiceOperation(request, on: self, options: options)
        operation.whenEnded { result in
            switch result {
            case .success(let item): success(item)
            case .failure(let error): failure(error)
            }
        }
        _ = operation.operation.claim()
        operation.operation.prepare()
        operation.operation.begin {}
        return operation
    }
}
