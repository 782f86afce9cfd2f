/// Generates request IDs, and accepts IDs from clients if they are safe in a log.
struct RequestIDs {
    private var state: UInt64

    init() {
        var generator = SystemRandomNumberGenerator()
        state = generator.next()
    }

    /// 13 characters for 64 bits: short enough for a string without an allocation.
    mutating func next() -> String {
        // SplitMix64: each of its 2^64 values occurs once.
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        return String(unsafeUninitializedCapacity: 13) { buffer in
            for index in 0..<13 {
                let digit = UInt8(truncatingIfNeeded: bits & 31)
                buffer[index] = digit < 10 ? 48 + digit : 87 + digit
                bits >>= 5
            }
            return 13
        }
    }

    /// A client's request ID: up to 64 letters, digits, `.`, `_` and `-`.
    func accepted(_ text: String?) -> String? {
        guard let text, (1...64).contains(text.utf8.count) else { return nil }
        let isHarmless = text.utf8.allSatisfy { byte in
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return isHarmless ? text : nil
    }
}
