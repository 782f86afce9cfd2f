import CLinux
import Glibc

/// Runs each part of a test on its own thread: a test's socket calls block, which would starve the
/// few threads that tests share.
final class TestThreads: TaskExecutor {
    private final class Piece {
        let job: UnownedJob
        let executor: TestThreads

        init(_ job: UnownedJob, _ executor: TestThreads) {
            self.job = job
            self.executor = executor
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let piece = Unmanaged.passRetained(Piece(UnownedJob(job), self))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                // Programmer error: the thread gets its work above.
                guard let context else { preconditionFailure("a thread without its piece") }
                let piece = Unmanaged<Piece>.fromOpaque(context).takeRetainedValue()
                piece.job.runSynchronously(on: piece.executor.asUnownedTaskExecutor())
                return nil
            }, piece.toOpaque())
        precondition(code == 0, "pthread_create: error \(code)")
        pthread_detach(thread)
    }
}
