import Glibc

/// What determines the bytes of a public answer: the octets of the target. The tables hash it with
/// the process's own seed, so that nobody can choose targets that collide.
struct CacheKey: Hashable {
    /// Entries are answers; a coding of one is made under a key of its own.
    enum Purpose: UInt8 { case answer, coding }

    let octets: [UInt8]
    let purpose: Purpose

    init(_ octets: [UInt8], _ purpose: Purpose = .answer) {
        self.octets = octets
        self.purpose = purpose
    }

    /// Which of `count` shards it belongs to, by its last octets: cheap, as a shard that gets more
    /// than its share is no harm.
    func shard(of count: Int) -> Int {
        let sum = octets.suffix(8).reduce(UInt(octets.count)) { $0 &* 31 &+ UInt($1) }
        return Int(sum % UInt(count))
    }

    func hash(into hasher: inout Hasher) {
        octets.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    static func == (left: CacheKey, right: CacheKey) -> Bool {
        left.purpose == right.purpose
            && left.octets.count == right.octets.count
            && left.octets.withUnsafeBytes { left in
                right.octets.withUnsafeBytes { right in
                    guard let left = left.baseAddress, let start = right.baseAddress else {
                        return true
                    }
                    return memcmp(left, start, right.count) == 0
                }
            }
    }
}
