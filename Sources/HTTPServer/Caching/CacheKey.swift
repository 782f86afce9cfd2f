import Glibc

/// The key of a public response: the octets of its target. Tables hash it with a per-process seed,
/// so that nobody can choose targets that collide.
struct CacheKey: Hashable {
    /// `response` is an entry; `coding` is only claimed while a content coding of it is produced.
    enum Purpose: UInt8 { case response, coding }

    let octets: [UInt8]
    let purpose: Purpose

    init(_ octets: [UInt8], _ purpose: Purpose = .response) {
        self.octets = octets
        self.purpose = purpose
    }

    /// Selects one of `count` shards by the last octets: cheap, and an uneven distribution does no
    /// harm.
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
