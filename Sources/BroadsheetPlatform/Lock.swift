public import Glibc
import Synchronization

/// A value that only the lock's holder can access (`pthread_mutex_t`, which the thread sanitizer
/// understands). This is the only kind of lock.
public final class Lock<Value>: Sendable {
    // `pthread_mutex_t` must not move, so it is allocated separately; `value` is only accessed
    // under it.
    @usableFromInline nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // Guarded by `mutex`, which is not recursive.
    @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var value: Value

    @inlinable
    public init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    @inlinable
    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs the body with exclusive access to the value. The body must not block.
    @inlinable
    @inline(__always)
    public func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}

/// A number that any thread can increase, and read without a lock.
public final class AtomicCounter: Sendable {
    private let count = Atomic(0)

    public init() {}

    public var value: Int { count.load(ordering: .sequentiallyConsistent) }

    public func add() { count.add(1, ordering: .sequentiallyConsistent) }
}
