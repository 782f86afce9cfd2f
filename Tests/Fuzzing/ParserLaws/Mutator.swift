import BroadsheetTestSupport

/// Changes seeds a little, and puts pieces of two together, as the fuzzer does.
package struct Mutator {
    private let seeds: [[UInt8]]
    private var random: SplitMix64

    package init(seeds: [[UInt8]], seed: UInt64) {
        self.seeds = seeds
        random = SplitMix64(seed: seed)
    }

    package mutating func next() -> [UInt8] {
        var bytes = seeds.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...4, using: &random) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let start = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 1...12, using: &random))
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes.removeSubrange(start..<end)
        case 1: bytes.insert(contentsOf: Array(bytes[start..<end]), at: start)
        case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: start)
        case 3 where start < end: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 4 where start < end:
            bytes[start] =
                [0, 0x0A, 0x0D, 0x20, 0x25, 0x7F, 0x80, 0xFF]
                .randomElement(using: &random) ?? 0
        default:
            let other = seeds.randomElement(using: &random) ?? []
            let place = Int.random(in: 0...other.count, using: &random)
            bytes = Array(bytes[..<start] + other[place...])
        }
    }
}
