import Glibc

/// The build of the tests and their programs, with or without a sanitizer, which costs memory and
/// time.
public enum Sanitizer {
    public static let isUsed =
        dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
}

/// The time that tests wait for a required event before they call it a hang. Working code never
/// reaches it, even on a machine that is busy with other work.
public enum Patience {
    public static let seconds = 600
    public static let minutes = seconds / 60
    /// For poll(2).
    public static let milliseconds = Int32(seconds * 1_000)
}

/// The choice between every place and great numbers (`make faults`, `make socket-faults`) and a
/// sample of them.
public enum Thoroughness {
    public static let isFull = getenv("BROADSHEET_ALL_FAULTS") != nil
}

/// The CPU time of the calling thread in seconds: the cost of work, however busy the machine is.
public func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Returns the factor by which the work takes longer with the second input than with the first one,
/// in CPU time of this thread: of 25 attempts the fastest each, or of fewer as soon as it is below
/// the limit.
///
/// With eight times the size, linear work takes about eight times as long, on a busy machine up to
/// 16 times, and quadratic work 64 times.
public func growth<Input>(
    from small: Input, to large: Input, below limit: Double = 16,
    of work: (Input) throws -> Void
) rethrows -> Double {
    func seconds(_ input: Input) throws -> Double {
        let start = threadSeconds()
        try work(input)
        return threadSeconds() - start
    }
    var fastest = (small: Double.infinity, large: Double.infinity)
    for _ in 0..<25 where !(fastest.large < limit * fastest.small) {
        fastest = (
            min(fastest.small, try seconds(small)), min(fastest.large, try seconds(large))
        )
    }
    return fastest.large / fastest.small
}

/// The path of a program in the build folder of the tests.
public func builtProgram(_ name: String) throws(TestFailure) -> String {
    guard let program = realpath("/proc/self/exe", nil) else { throw .system("realpath") }
    defer { free(program) }
    let path = String(cString: program)
    guard let end = path.lastIndex(of: "/") else { throw TestFailure("\(path) has no folder") }
    return "\(path[..<end])/\(name)"
}

/// A failure of a test's own tools.
public struct TestFailure: Error, CustomStringConvertible, Sendable {
    public let description: String

    public init(_ description: String) { self.description = description }

    /// With the reason of the last failed call.
    static func system(_ call: String) -> TestFailure {
        TestFailure("\(call): \(String(cString: strerror(errno)))")
    }
}

/// A seeded random generator: a failing test can be repeated.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
