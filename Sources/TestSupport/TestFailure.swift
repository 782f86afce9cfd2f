import Glibc

/// A failure of a test's own tools.
public struct TestFailure: Error, CustomStringConvertible, Sendable {
    public let description: String

    public init(_ description: String) { self.description = description }

    /// With the reason of the last failed call.
    static func system(_ call: String) -> TestFailure {
        TestFailure("\(call): \(String(cString: strerror(errno)))")
    }
}
