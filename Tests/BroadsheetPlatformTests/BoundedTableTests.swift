import BroadsheetPlatform
import Testing

@Suite struct BoundedTableTests {
    @Test func `a table of one set keeps the eight entries with the most weight`() {
        struct Weighed: BoundedTableEntry {
            let weight: Int64
            func weight(at now: Int64) -> Int64 { weight < now ? -1 : weight }
        }
        var table = BoundedTable<Weighed>(capacity: 8)
        let keys = (0..<20).map { number in HashedKey { $0.combine(number) } }
        #expect(table[keys[0], at: 0]?.weight == nil && table.count == 0)
        for (number, key) in keys.enumerated() {
            table[key, at: 0] = Weighed(weight: Int64(number))
            #expect(table[key, at: 0]?.weight == Int64(number))
        }
        #expect(table.count == 8)
        #expect(keys.compactMap { table[$0, at: 0]?.weight } == Array(12...19))
        // What has lost its meaning is not seen, and goes first.
        #expect(table[keys[12], at: 13]?.weight == nil)
        table[keys[0], at: 13] = Weighed(weight: 13)
        #expect(keys.compactMap { table[$0, at: 0]?.weight } == [13] + Array(13...19))
        table[keys[19], at: 0] = nil
        #expect(table[keys[19], at: 0]?.weight == nil && table.count == 7)
    }
}
