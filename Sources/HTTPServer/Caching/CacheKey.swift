import Glibc

/// What determines the bytes of a public answer: the octets of the target. Its hash is taken once,
/// with the process's own seed, so that nobody can choose targets that collide.
struct CacheKey: Hashable {
    /// Entries are answers; a coding of one is made under a key of its own.
    enum Purpose: UInt8 { case answer, coding }

    let octets: [UInt8]
    let purpose: Purpose
    let hash: Int

    init(_ octets: [UInt8], _ purpose: Purpose = .answer) {
        self.octets = octets
        self.purpose = purpose
        var hasher = Hasher()
        octets.withUnsafeBytes { hasher.combine(bytes: $0) }
        hash = hasher.finalize()
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    static func == (left: CacheKey, right: CacheKey) -> Bool {
        left.hash == right.hash && left.purpose == right.purpose
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
