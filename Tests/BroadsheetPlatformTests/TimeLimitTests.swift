import BroadsheetTestSupport
import Dispatch
import Testing

@testable import BroadsheetPlatform

@Suite struct TimeLimitTests {
    @Test func `work that ends is waited for`() async {
        let hasRun = Signal()
        #expect(
            await TimeLimit.finishes(withinSeconds: 3_600) {
                await Task.yield()
                hasRun.give()
            })
        #expect(hasRun.isGiven)
    }

    @Test func `work that does not end is left behind`() async {
        let goesOn = Signal()
        let hasEnded = Signal()
        #expect(
            await !TimeLimit.finishes(withinSeconds: 0.01) {
                await goesOn.wait()
                hasEnded.give()
            })
        #expect(!hasEnded.isGiven)
        goesOn.give()
        await hasEnded.wait()
    }

    @Test func `a deadline acts while every other thread is blocked, unless it was cancelled`() {
        let acted = DispatchSemaphore(value: 0)
        let never = Deadline(seconds: 0.01) { Issue.record("it was cancelled") }
        never.cancel()
        let deadline = Deadline(seconds: 0.05) { acted.signal() }
        acted.wait()
        deadline.cancel()
    }
}
