import BroadsheetTestSupport
import Dispatch
import Glibc
import Testing

@testable import BroadsheetSockets

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct SignalSourcesTests {
    @Test func `an immediate signal is not lost`() async throws {
        // Its default action is to do nothing, and nothing else here waits for it.
        let number = SIGURG
        for _ in 0..<50 {
            let (signals, received) = AsyncStream.makeStream(of: Int32.self)
            let sources = SignalSources([number]) { received.yield($0) }
            #expect(kill(getpid(), number) == 0)
            for await signal in signals {
                #expect(signal == number)
                break
            }
            sources.cancel()
        }
    }
}
