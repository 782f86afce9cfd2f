import TestSupport
import Testing

@testable import ArticleClient

@Suite struct FlightTests {
    @Test func `work that was ended before its start does not run`() async throws {
        let runs = Counter()
        let flight = SharedTask<Int>()
        flight.end(.failure(.superseded))
        flight.start {
            runs.next()
            return .success(1)
        }
        #expect(await flight.join() == .failure(.superseded))
        for _ in 0..<100 { await Task.yield() }
        #expect(runs.value == 0)
    }
}
