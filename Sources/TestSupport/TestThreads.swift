import CLinux
import Glibc

/// Runs each piece of a test on a thread of its own: a test's socket calls block, and the few
/// threads that tests share would then be missing for everyone.
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
                // Programmer error: the thread is given the piece above.
                guard let context else { preconditionFailure("a thread without its piece") }
                let piece = Unmanaged<Piece>.fromOpaque(context).takeRetainedValue()
                piece.job.runSynchronously(on: piece.executor.asUnownedTaskExecutor())
                return nil
            }, piece.toOpaque())
        precondition(code == 0, "pthread_create: error \(code)")
        pthread_detach(thread)
    }
}
