import Glibc

/// What a test's own means could not do.
public struct TestFailure: Error, CustomStringConvertible, Sendable {
    public let description: String

    public init(_ description: String) { self.description = description }

    /// With the reason that the last failed call left.
    static func system(_ call: String) -> TestFailure {
        TestFailure("\(call): \(String(cString: strerror(errno)))")
    }
}
