/// The clocks, the sleep and the random numbers that services use, so that tests can replace them.
///
/// The program passes `.real` down to all of them.
///
/// ```swift
/// var system = SystemEnvironment.real
/// system.wallNanoseconds = { 1_800_000_000_000_000_000 }
/// ```
public struct SystemEnvironment: Sendable {
    /// The wall clock: nanoseconds since 1970. It may be set.
    public var wallNanoseconds: @Sendable () -> Int64
    /// The monotonic clock: nanoseconds since an arbitrary point in time. It is never set back.
    public var monotonicNanoseconds: @Sendable () -> Int64
    /// Waits by the monotonic clock; returns early when the task is cancelled.
    public var sleep: @Sendable (Duration) async -> Void
    /// Blocks the current thread, which waits for something outside this process. It needs no other
    /// thread, such as the few that run tasks.
    public var blockThread: @Sendable (Duration) -> Void
    /// 64 random bits, fit for secrets.
    public var random: @Sendable () -> UInt64

    public init(
        wallNanoseconds: @escaping @Sendable () -> Int64,
        monotonicNanoseconds: @escaping @Sendable () -> Int64,
        sleep: @escaping @Sendable (Duration) async -> Void,
        blockThread: @escaping @Sendable (Duration) -> Void,
        random: @escaping @Sendable () -> UInt64
    ) {
        self.wallNanoseconds = wallNanoseconds
        self.monotonicNanoseconds = monotonicNanoseconds
        self.sleep = sleep
        self.blockThread = blockThread
        self.random = random
    }

    /// Those of the machine.
    public static let real = SystemEnvironment(
        wallNanoseconds: { SystemClock.wallNanoseconds },
        monotonicNanoseconds: { SystemClock.monotonicNanoseconds },
        // Its only error is the cancellation.
        sleep: { try? await Task.sleep(for: $0) },
        blockThread: { SystemClock.blockThread(for: $0) },
        random: {
            var generator = SystemRandomNumberGenerator()
            return generator.next()
        })
}

extension SystemEnvironment {
    /// The time of the monotonic clock, for intervals and deadlines.
    public var uptime: Duration { .nanoseconds(monotonicNanoseconds()) }

    /// The time of the monotonic clock, in whole milliseconds.
    public var uptimeMilliseconds: Int64 { monotonicNanoseconds() / 1_000_000 }

    /// Random bytes, fit for secrets.
    public func randomBytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
            var bits: UInt64 = 0
            // Invariant: bytes[..<index] are random, and the low bits of `bits` are unused.
            for index in 0..<count {
                bits = index & 7 == 0 ? random() : bits >> 8
                bytes.initializeElement(at: index, to: UInt8(truncatingIfNeeded: bits))
            }
            initialized = count
        }
    }

    /// A random number from 0 to 1.
    public var randomFraction: Double { Double(random()) / 0x1p64 }

    /// `random`, for the functions of the standard library that take a generator.
    public var generator: Generator { Generator(random: random) }

    /// The random numbers of an environment. See ``SystemEnvironment``.
    public struct Generator: RandomNumberGenerator {
        let random: @Sendable () -> UInt64

        public func next() -> UInt64 { random() }
    }
}
