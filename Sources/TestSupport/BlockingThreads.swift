import Dispatch

/// Runs what blocks its thread, such as waiting for a program, without delaying other tests:
/// Swift's own threads are as few as the processor's cores.
public func mayBlock<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    try await withTaskExecutorPreference(BlockingThreads.shared) { try await body() }
}

/// As many threads as there are jobs.
private final class BlockingThreads: TaskExecutor {
    static let shared = BlockingThreads()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // A serial queue gets a thread at once.
        DispatchQueue(label: "blocking").async { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
