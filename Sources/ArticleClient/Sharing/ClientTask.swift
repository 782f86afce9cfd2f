/// The one place where the SDK makes tasks: for work that outlives whoever asked for it first, as
/// an answer that several wait for, the renewal of a token, or an operation in a queue. Everything
/// else runs in its caller's task, and ends with it.
enum ClientTask {
    /// - Parameter executor: where it runs; `nil`: it begins on the caller's thread where systems
    ///   can do that, and goes on wherever there is one.
    static func start(
        on executor: (any TaskExecutor)? = nil, _ work: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        if let executor { return Task(executorPreference: executor) { await work() } }
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return Task.immediate { await work() }
        }
        return Task { await work() }
    }

    /// Work that may take its thread's time: never on the caller's.
    ///
    /// - Parameter priority: `nil`: the caller's.
    static func startApart(
        priority: TaskPriority? = nil, _ work: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        Task(priority: priority) { await work() }
    }

    /// Waits, and then does this; it is nobody's in particular.
    static func start(
        at instant: ContinuousClock.Instant, _ work: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
        Task.detached(priority: .high) {
            try? await Task.sleep(until: instant, clock: .continuous)
            if !Task.isCancelled { work() }
        }
    }

    /// Makes a task at least as urgent as this.
    static func raise(_ task: Task<Void, Never>, to priority: TaskPriority) {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            task.escalatePriority(to: priority)
        } else {
            // A task is as urgent as whoever waits for it.
            _ = Task.detached(priority: priority) { await task.value }
        }
    }
}
