import Testing

@testable import BroadsheetPlatform

@Suite struct FairQueueTests {
    /// The number of competing clients, each with one item.
    private static let others = 50
    private static let nanoseconds: Int64 = 1_000_000

    /// Serves items for 1 ms each, while competing clients return immediately.
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

    @Test func `a waiting client is not repeatedly overtaken by returning clients`() {
        // The order of dictionaries is random.
        for client in 1_000..<UInt64(1_100) {
            let served = Self.served(1, of: client, turns: Self.others + 1)
            #expect(Set(served).count == Self.others + 1)
        }
    }

    @Test func `a client with a backlog gets the same share as returning clients`() {
        for client in 1_000..<UInt64(1_020) {
            let served = Self.served(10, of: client, turns: 10 * (Self.others + 1))
            #expect((8...10).contains(served.count { $0 == client }))
        }
    }

    @Test func `one client's items stay in order, and none is left`() {
        var queue = FairQueue<Int>()
        for number in 0..<5 { queue.append(number, of: 1) }
        var served: [Int] = []
        while let next = queue.next(where: { _ in true }, estimate: { _ in 0 }) {
            queue.charge(Self.nanoseconds, estimate: 0, to: 1)
            served.append(next)
        }
        #expect(served == [0, 1, 2, 3, 4] && queue.count == 0)
    }

    @Test func `an item that is removed is not served, and the others stay in order`() {
        var queue = FairQueue<Int>()
        for number in 0..<5 { queue.append(number, of: 1) }
        queue.append(5, of: 2)
        #expect(queue.remove(of: 1) { $0 == 2 } == 2)
        #expect(queue.remove(of: 1) { $0 == 2 } == nil)
        #expect(queue.remove(of: 3) { _ in true } == nil)
        #expect(queue.remove(of: 2) { _ in true } == 5)
        #expect(queue.count == 4)
        var served: [Int] = []
        while let next = queue.next(where: { _ in true }, estimate: { _ in 0 }) {
            // Also those that follow one that is running.
            if next == 1 { #expect(queue.remove(of: 1) { $0 == 4 } == 4) }
            queue.charge(Self.nanoseconds, estimate: 0, to: 1)
            served.append(next)
        }
        #expect(served == [0, 1, 3] && queue.count == 0)
    }

    @Test func `the largest part of the largest network makes room for a client with less`() {
        /// The path of an item.
        typealias Path = [UInt64]
        var queue = FairQueue<Path>()
        func add(_ count: Int, _ path: Path) {
            for _ in 0..<count { queue.append(path, of: path[2]) }
        }
        add(1, [1, 10, 100])
        add(1, [1, 10, 101])
        add(1, [1, 11, 110])
        add(2, [2, 20, 200])
        #expect(queue.evictLast(for: [3, 30, 300], in: \.self)?.first != nil)
        #expect(queue.evictLast(for: [3, 30, 300], in: \.self)?.first != nil)
        #expect(queue.evictLast(for: [3, 30, 300], in: \.self)?.first != nil)
        // Each network has one item at most.
        #expect(queue.evictLast(for: [3, 30, 300], in: \.self) == nil)
        #expect(queue.count == 2)
        add(2, [1, 12, 120])
        add(1, [1, 12, 121])
        // In its own network, a client gets the share of its part.
        #expect(queue.evictLast(for: [1, 13, 130], in: \.self) == [1, 12, 120])
        #expect(queue.count == 4)
    }
}
