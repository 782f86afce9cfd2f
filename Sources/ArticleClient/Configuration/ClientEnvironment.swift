#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The clocks and random numbers that the SDK uses, which tests can replace.
public struct ClientEnvironment: Sendable {
    /// Monotonic time, from any starting point.
    public var now: @Sendable () -> Duration
    /// Seconds since 1970.
    public var wallSeconds: @Sendable () -> Int64
    /// Waits; ends early with an error when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// A number from 0 to the given one.
    public var random: @Sendable (Int64) -> Int64

    public init(
        now: @escaping @Sendable () -> Duration,
        wallSeconds: @escaping @Sendable () -> Int64,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        random: @escaping @Sendable (Int64) -> Int64
    ) {
        self.now = now
        self.wallSeconds = wallSeconds
        self.sleep = sleep
        self.random = random
    }

    /// The system's clock and random numbers.
    public static let system: ClientEnvironment = {
        let start = ContinuousClock.now
        return ClientEnvironment(
            now: { ContinuousClock.now - start },
            wallSeconds: { Int64(Date().timeIntervalSince1970) },
            sleep: { try await Task.sleep(for: $0) },
            random: { Int64.random(in: 0...max(0, $0)) })
    }()
}
