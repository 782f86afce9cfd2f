#if os(Linux)
    import BroadsheetPlatform
#else
    import Synchronization
#endif

/// A value protected by a lock: the lock of `Platform`, or Apple's where that is not
/// built. Copies share the value.
package struct Locked<Value>: Sendable {
    #if os(Linux)
        private let lock: Lock<Value>

        package init(_ value: sending Value) { lock = Lock(value) }
    #else
        private final class Box: Sendable {
            let mutex: Mutex<Value>

            init(_ value: sending Value) { mutex = Mutex(value) }

            func withLock<Result: ~Copyable, Failure: Error>(
                _ body: (inout sending Value) throws(Failure) -> sending Result
            ) throws(Failure) -> sending Result {
                try mutex.withLock(body)
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
