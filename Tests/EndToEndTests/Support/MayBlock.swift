import BroadsheetTestSupport
import Testing

/// Lets the tests of a suite block their threads: they use clients that do, and wait for programs.
struct MayBlock: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing body: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await BroadsheetTestSupport.mayBlock { try await body() }
    }
}

extension Trait where Self == MayBlock {
    static var mayBlock: Self { Self() }
}
