/// A UUIDv7 (RFC 9562 §5.7) that names one `Subject`: an article's id is never taken for an
/// author's.
public struct Identifier<Subject>: Sendable, Hashable {
    /// The first eight bytes, big-endian: 48 bits of milliseconds since 1970, version, 12 random
    /// bits.
    public let high: UInt64
    /// The last eight bytes, big-endian: variant and 62 random bits.
    public let low: UInt64

    /// The id of these 128 bits; `nil` unless they are of version 7 and the RFC's variant.
    public init?(high: UInt64, low: UInt64) {
        guard (high >> 12) & 0xF == 7, low >> 62 == 0b10 else { return nil }
        self.high = high
        self.low = low
    }

    /// A new id, made at `time` with 74 bits from `random` (RFC 9562 §5.7).
    public init(at time: Timestamp, using random: inout some RandomNumberGenerator) {
        self.init(
            at: time, .random(in: Self.highRandom, using: &random),
            .random(in: Self.lowRandom, using: &random))
    }

    /// A new id, made at `time` with bits of the system's generator.
    ///
    /// That one is not passed on: it has no bytes, and the thread sanitizer takes the address of
    /// nothing, which all threads have in common, for something that they change.
    public init(at time: Timestamp) {
        self.init(at: time, .random(in: Self.highRandom), .random(in: Self.lowRandom))
    }

    private init(at time: Timestamp, _ highRandom: UInt64, _ lowRandom: UInt64) {
        let milliseconds = UInt64(clamping: time.milliseconds) & 0xFFFF_FFFF_FFFF
        high = milliseconds << 16 | 0x7000 | highRandom
        low = 1 << 63 | lowRandom
    }

    private static var highRandom: ClosedRange<UInt64> { 0...0xFFF }
    private static var lowRandom: ClosedRange<UInt64> { 0...(1 << 62 - 1) }
}

extension Identifier: Comparable {
    /// Ids order as their bytes do: by the time they were made.
    public static func < (left: Identifier, right: Identifier) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension Identifier: LosslessStringConvertible {
    /// Reads the 36-character form (RFC 9562 §4), letters in either case.
    public init?(_ description: String) {
        var text = description
        guard let id = text.withUTF8({ Self(ascii: Span(_unsafeElements: $0)) }) else { return nil }
        self = id
    }

    init?(ascii text: borrowing Span<UInt8>) {
        guard text.count == 36 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        // Invariant: the digits before `index` are in `words`, the last one lowest.
        for index in 0..<36 {
            let byte = text[index]
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Self.hexValue(of: byte) else { return nil }
            if index < 19 {
                words.0 = words.0 << 4 | digit
            } else {
                words.1 = words.1 << 4 | digit
            }
        }
        self.init(high: words.0, low: words.1)
    }

    /// The 36-character form in lower case (RFC 9562 §4).
    public var description: String {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the 36-character form.
    func write(to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { text in
            var position = 0
            for index in 0..<32 {
                if index == 8 || index == 12 || index == 16 || index == 20 {
                    text[position] = UInt8(ascii: "-")
                    position += 1
                }
                let word = index < 16 ? high : low
                let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (index & 15))) & 0xF
                text[position] = digit < 10 ? 48 + digit : 87 + digit
                position += 1
            }
            bytes.append(contentsOf: UnsafeBufferPointer(text))
        }
    }

    private static func hexValue(of byte: UInt8) -> UInt64? {
        switch byte {
        case 48...57: UInt64(byte - 48)
        case 65...70: UInt64(byte - 55)
        case 97...102: UInt64(byte - 87)
        default: nil
        }
    }
}
