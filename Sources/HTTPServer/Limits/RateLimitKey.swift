import Sockets

/// The key that a client is counted by: its IPv4 address, its IPv6 network (/64, the size that one
/// customer gets), or the account of its API key.
struct RateLimitKey: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64
    /// Hashed with a per-process seed, so that nobody can choose addresses that collide.
    let digest: UInt

    /// All peers on Unix sockets share one key.
    init(_ address: SocketAddress) {
        let octets = address.networkOctets ?? []
        self.init(UInt64(octets.count), octets.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    init(account: String) {
        // 128 bits of two seeds, so that no two accounts of a server collide.
        func half(_ seed: UInt64) -> UInt64 {
            var hasher = Hasher()
            hasher.combine(seed)
            hasher.combine(account)
            return UInt64(UInt(bitPattern: hasher.finalize()))
        }
        self.init(half(1), half(2))
    }

    private init(_ high: UInt64, _ low: UInt64) {
        self.high = high
        self.low = low
        var hasher = Hasher()
        hasher.combine(high)
        hasher.combine(low)
        digest = UInt(bitPattern: hasher.finalize())
    }

    static func == (left: RateLimitKey, right: RateLimitKey) -> Bool {
        left.low == right.low && left.high == right.high
    }

    func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
