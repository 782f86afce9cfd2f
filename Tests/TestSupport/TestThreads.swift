import Glibc

/// Runs work that blocks its thread, such as waiting for a program, without delaying other tests:
/// Swift's own threads are as few as the processor's cores.
public func mayBlock<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    try await withTaskExecutorPreference(TestThreads()) {
        // A closure that only calls a function that stays on its caller's executor does not leave
        // that of its own caller (Swift 6.3).
        _ = Task.isCancelled
        return try await body()
    }
}

/// Runs each part of a test on its own thread, which may block. Dispatch would not start more than
/// 255.
final class TestThreads: TaskExecutor {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Self.start { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    static func start(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                // Programmer error: the thread gets its work below.
                guard let context else { preconditionFailure("a thread without its work") }
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, Unmanaged.passRetained(Work(body)).toOpaque())
        precondition(code == 0, "pthread_create: error \(code)")
        pthread_detach(thread)
    }
}
