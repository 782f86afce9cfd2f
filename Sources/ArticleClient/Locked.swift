#if os(Linux)
    import BroadsheetPlatform
#else
    import Darwin
#endif

/// A value protected by a lock: the lock of `Platform`, or Apple's where that is not
/// built. Copies share the value.
package struct Locked<Value>: Sendable {
    #if os(Linux)
        private let lock: Lock<Value>

        package init(_ value: sending Value) { lock = Lock(value) }
    #else
        /// The lock of the systems before those that have `Mutex`.
        private final class Box: Sendable {
            // A lock must not move, so it is allocated separately.
            nonisolated(unsafe) let lock: UnsafeMutablePointer<os_unfair_lock_s>
            // Only accessed under the lock.
            nonisolated(unsafe) var value: Value

            init(_ value: sending Value) {
                self.value = value
                lock = .allocate(capacity: 1)
                lock.initialize(to: os_unfair_lock_s())
            }

            deinit { lock.deallocate() }

            func withLock<Result: ~Copyable, Failure: Error>(
                _ body: (inout sending Value) throws(Failure) -> sending Result
            ) throws(Failure) -> sending Result {
                os_unfair_lock_lock(lock)
                defer { os_unfair_lock_unlock(lock) }
                return try body(&value)
            }
        }
        private let lock: Box

        package init(_ value: sending Value) { lock = Box(value) }
    #endif

    /// Runs the body with exclusive access to the value. The body must not block.
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try lock.withLock(body)
    }
}
