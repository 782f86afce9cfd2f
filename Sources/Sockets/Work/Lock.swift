#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The one kind of lock: a value that only its holder can touch (`pthread_mutex_t`, which the
/// thread sanitizer understands).
public final class Lock<Value>: Sendable {
    // `pthread_mutex_t` must not move, so it has a place of its own; all access to `value` is under
    // it.
    private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // Guarded by `mutex`, which does not let its own holder in again either.
    @exclusivity(unchecked) private nonisolated(unsafe) var value: Value

    public init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs the body with the value, alone. The body must not block.
    @inline(__always)
    public func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
