import Dispatch
import Glibc
import Synchronization

/// A limit on time for work that may never end.
public enum TimeLimit {
    // A serial queue gets its own thread when it needs one, whatever blocks all others.
    private static let queue = DispatchQueue(label: "broadsheet.limits")

    /// Runs the work in a task of its own, and waits up to `seconds` for it. Work that takes longer
    /// continues without being waited for.
    ///
    /// - Returns: True if the work has ended.
    public static func finishes(
        withinSeconds seconds: Double, _ work: @escaping @Sendable () async -> Void
    ) async -> Bool {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Bool, Never>) in
            let waiting = Lock<UnsafeContinuation<Bool, Never>?>(continuation)
            let conclude = { @Sendable (hasEnded: Bool) in
                waiting.withLock { $0.take() }?.resume(returning: hasEnded)
            }
            queue.asyncAfter(deadline: .now() + seconds) { conclude(false) }
            UnstructuredTask.start {
                await work()
                conclude(true)
            }
        }
    }
}

/// Does something after a time unless it is cancelled before: the last means against whatever has
/// stopped. It has a thread of its own and depends on no pool.
///
/// Safe to use from any thread.
public final class Deadline: Sendable {
    private let isCancelled = Atomic(false)
    private let seconds: Double
    private let action: @Sendable () -> Void

    public init(seconds: Double, _ action: @escaping @Sendable () -> Void) {
        self.seconds = seconds
        self.action = action
        var thread = pthread_t()
        let deadline = Unmanaged.passRetained(self)
        let code = pthread_create(
            &thread, nil,
            { context in
                // Programmer error: the thread is given its deadline below.
                guard let context else { preconditionFailure("a thread without its deadline") }
                Unmanaged<Deadline>.fromOpaque(context).takeRetainedValue().wait()
                return nil
            }, deadline.toOpaque())
        if code == 0 { pthread_detach(thread) } else { deadline.release() }
    }

    public func cancel() { isCancelled.store(true, ordering: .relaxed) }

    private func wait() {
        SystemClock.blockThread(for: .seconds(seconds))
        if !isCancelled.load(ordering: .relaxed) { action() }
    }
}
