/// A UUIDv7 (RFC 9562 §5.7) of a `Subject`, so that an article's id cannot be used as an author's.
///
/// Ids are ordered by the times at which they were made.
///
/// ```swift
/// let id = Article.ID(at: time)
/// let same = Article.ID("\(id)")
/// ```
public struct Identifier<Subject>: Sendable, Hashable {
    /// The first eight bytes, big-endian: 48 bits of milliseconds since 1970, version, 12 random
    /// bits.
    public let high: UInt64
    /// The last eight bytes, big-endian: variant and 62 random bits.
    public let low: UInt64

    /// The id with these 128 bits; `nil` unless they have version 7 and the RFC's variant.
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

    /// A new id, made at `time` with bits from the system's generator.
    ///
    /// The generator is not passed as an argument: it has no storage, and the thread sanitizer
    /// reports its address, which all threads share, as a data race.
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
    /// Ids are ordered by their bytes, and so by their creation time.
    public static func < (left: Identifier, right: Identifier) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension Identifier: LosslessStringConvertible {
    /// Parses the 36-character form (RFC 9562 §4), with letters in either case.
    public init?(_ description: String) {
        var text = description
        guard let id = text.withUTF8({ Self(ascii: Span(_unsafeElements: $0)) }) else { return nil }
        self = id
    }

    init?(ascii text: borrowing Span<UInt8>) {
        let hyphen = UInt8(ascii: "-")
        var (high, low): (UInt64, UInt64) = (0, 0)
        guard text.count == 36, text[8] == hyphen, text[13] == hyphen, text[18] == hyphen,
            text[23] == hyphen, Self.read(0..<8, of: text, into: &high),
            Self.read(9..<13, of: text, into: &high), Self.read(14..<18, of: text, into: &high),
            Self.read(19..<23, of: text, into: &low), Self.read(24..<36, of: text, into: &low)
        else { return nil }
        self.init(high: high, low: low)
    }

    /// Appends hexadecimal digits to the word; false if there is any other character.
    @inline(__always)
    private static func read(
        _ range: Range<Int>, of text: borrowing Span<UInt8>, into word: inout UInt64
    ) -> Bool {
        // Invariant: the digits before `index` are in `word`, the last one lowest.
        for index in range {
            let byte = text[index]
            let (number, letter) = (byte &- 48, (byte | 0x20) &- 97)
            guard number < 10 || letter < 6 else { return false }
            word = word << 4 | UInt64(number < 10 ? number : letter &+ 10)
        }
        return true
    }

    /// The 36-character form in lower case (RFC 9562 §4).
    public var description: String {
        String(unsafeUninitializedCapacity: 36) { write(to: $0) }
    }

    /// Appends the 36-character form.
    func write(to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { text in
            _ = write(to: text)
            bytes.append(contentsOf: UnsafeBufferPointer(text))
        }
    }

    /// Writes the 36-character form and returns its length.
    private func write(to text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var position = 0
        // Invariant: the bytes before `index` are written, and the hyphens before them.
        for index in 0..<16 {
            if index == 4 || index == 6 || index == 8 || index == 10 {
                text[position] = UInt8(ascii: "-")
                position += 1
            }
            let word = index < 8 ? high : low
            let byte = UInt16(truncatingIfNeeded: word >> UInt64(56 - 8 * (index & 7))) & 0xFF
            // Both digits at once: the first one in the lower byte.
            let digits = (byte >> 4 | byte << 8) & 0x0F0F
            let letters = (digits &+ 0x0606) >> 4 & 0x0101
            let pair = digits &+ 0x3030 &+ letters &* 39
            text[position] = UInt8(truncatingIfNeeded: pair)
            text[position + 1] = UInt8(truncatingIfNeeded: pair >> 8)
            position += 2
        }
        return position
    }
}
