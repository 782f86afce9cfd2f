import BroadsheetHTTP
import BroadsheetTestSupport
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

    @Test func `each of many waiters leaves alone`() async throws {
        let flight = SharedTask<Int>()
        let waiters = (0..<20).map { _ in Task { await flight.join() } }
        for waiter in waiters[5..<15] { waiter.cancel() }
        for waiter in waiters[5..<15] { #expect(await waiter.value == .failure(.cancelled)) }
        flight.end(.success(7))
        for waiter in waiters[..<5] + waiters[15...] {
            #expect(await waiter.value == .success(7))
        }
        #expect(await flight.join() == .success(7))
    }

    @Test func `numbered values are found, replaced and removed in any order`() {
        var random = SplitMix64(seed: 20_261_122)
        var numbered = NumberedTable<String>()
        var expected: [Int: String] = [:]
        for round in 0..<2_000 {
            let number = Int.random(in: 1...max(1, round), using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let new = numbered.add("\(round)")
                #expect(expected.updateValue("\(round)", forKey: new) == nil)
            case 2: #expect(numbered.remove(number) == expected.removeValue(forKey: number))
            case 3:
                numbered.replace(number, by: "new \(round)")
                if expected[number] != nil { expected[number] = "new \(round)" }
            default:
                let removed = numbered.removeAll { $0.hasSuffix("\(round % 100)") }
                let others = expected.filter { !$0.value.hasSuffix("\(round % 100)") }
                #expect(removed.count == expected.count - others.count)
                expected = others
            }
            #expect(Array(numbered.values) == expected.sorted { $0.key < $1.key }.map(\.value))
        }
        #expect(!numbered.isEmpty)
        numbered.removeAll()
        #expect(numbered.isEmpty)
    }
}
