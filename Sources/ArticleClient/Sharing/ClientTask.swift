/// The only place where the SDK creates tasks: for work that can outlive its first caller, such as
/// a shared exchange, the renewal of a token, or an operation in a queue. Everything else runs in
/// its caller's task and ends with it.
enum ClientTask {
    /// - Parameter executor: where it runs; if `nil`, it starts on the caller's thread where the
    ///   system supports that, and continues on the global executor.
    static func start(
        on executor: (any TaskExecutor)? = nil, _ work: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        if let executor { return Task(executorPreference: executor) { await work() } }
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return Task.immediate { await work() }
        }
        return Task { await work() }
    }

    /// Starts work that may block its thread; it never runs on the caller's thread.
    ///
    /// - Parameter priority: `nil` for the caller's.
    static func startApart(
        priority: TaskPriority? = nil, _ work: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        Task(priority: priority) { await work() }
    }

    /// Performs the work at an instant.
    static func start(
        at instant: ContinuousClock.Instant, _ work: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
        Task.detached(priority: .high) {
            try? await Task.sleep(until: instant, clock: .continuous)
            if !Task.isCancelled { work() }
        }
    }

    /// Raises a task's priority to at least this one.
    static func raise(_ task: Task<Void, Never>, to priority: TaskPriority) {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            task.escalatePriority(to: priority)
        } else {
            // A task inherits the priority of tasks that wait for it.
            _ = Task.detached(priority: priority) { await task.value }
        }
    }
}
