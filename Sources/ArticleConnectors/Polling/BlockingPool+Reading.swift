import BroadsheetMarkup
import BroadsheetPlatform

extension BlockingPool {
    /// Runs work that reads documents. Readers end at the deadline, and once the task is cancelled.
    func read<Result: Sendable>(
        until deadline: Duration, in system: SystemEnvironment,
        _ work: @escaping @Sendable () -> Result
    ) async throws(Full) -> Result {
        let isCancelled = Lock(Task.isCancelled)
        let isOver: @Sendable () -> Bool = {
            isCancelled.withLock { $0 } || system.uptime > deadline
        }
        let result: Result? = await withTaskCancellationHandler {
            try? await run { ReadingTime.run(until: isOver, work) }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
        guard let result else { throw Full() }
        return result
    }
}
