import Testing

@testable import Sockets

@Suite struct FairQueueTests {
    /// Others than the client of which a test speaks, that have one item each.
    private static let others = 50
    private static let nanoseconds: Int64 = 1_000_000

    /// Serves one client after the other, for 1 ms each, among others who come again at once.
    private static func served(_ items: Int, of client: UInt64, turns: Int) -> [UInt64] {
        var queue = FairQueue<UInt64>()
        for other in 1...UInt64(others) { queue.append(other, of: other) }
        for _ in 0..<items { queue.append(client, of: client) }
        return (0..<turns).compactMap { _ in
            let next = queue.next(where: { _ in true }, estimate: { _ in 50_000 })
            guard let next else { return nil }
            queue.charge(nanoseconds, estimate: 50_000, to: next)
            if next != client { queue.append(next, of: next) }
            return next
        }
    }

    @Test func `who waits is not passed again and again by who comes again`() {
        // Dictionaries have another order each time.
        for client in 1_000..<UInt64(1_100) {
            let served = Self.served(1, of: client, turns: Self.others + 1)
            #expect(Set(served).count == Self.others + 1)
        }
    }

    @Test func `who has more waiting gets as much as who comes again`() {
        for client in 1_000..<UInt64(1_020) {
            let served = Self.served(10, of: client, turns: 10 * (Self.others + 1))
            #expect((8...10).contains(served.count { $0 == client }))
        }
    }

    @Test func `what one asked for comes in order, and nothing is left`() {
        var queue = FairQueue<Int>()
        for number in 0..<5 { queue.append(number, of: 1) }
        var served: [Int] = []
        while let next = queue.next(where: { _ in true }, estimate: { _ in 0 }) {
            queue.charge(Self.nanoseconds, estimate: 0, to: 1)
            served.append(next)
        }
        #expect(served == [0, 1, 2, 3, 4] && queue.count == 0)
    }
}
