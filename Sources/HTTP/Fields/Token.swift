/// The octet classes of RFC 9110 §5.
enum Token {
    /// `tchar`: what tokens are made of (RFC 9110 §5.6.2).
    @inline(__always)
    static func contains(_ byte: UInt8) -> Bool { tchar.contains(byte) }

    /// Whether an octet may stand in a field value (RFC 9110 §5.5): visible, space, tab, obs-text.
    @inline(__always)
    static func isFieldContent(_ byte: UInt8) -> Bool {
        byte >= 0x20 ? byte != 0x7F : byte == 0x09
    }

    /// Optional white space (RFC 9110 §5.6.3).
    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// ASCII letters to lower case, all else as it is.
    @inline(__always)
    static func lowercase(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Whether both are the same but for the case of ASCII letters. Other letters stand for
    /// themselves: to Unicode, the Kelvin sign is a `K`; to HTTP, it is none.
    static func equal(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        left.count == right.count
            && zip(left, right).allSatisfy { lowercase($0) == lowercase($1) }
    }

    /// The same of octets that are lent and a text.
    static func equal(_ left: borrowing Span<UInt8>, _ right: String) -> Bool {
        var right = right
        return right.withUTF8 { right in
            guard left.count == right.count else { return false }
            // Invariant: the first `index` octets are the same but for case.
            for index in 0..<right.count where lowercase(left[index]) != lowercase(right[index]) {
                return false
            }
            return true
        }
    }

    /// Without optional white space at both ends.
    static func trim(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = bytes.firstIndex(where: { !isSpace($0) }),
            let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return bytes[first...last]
    }

    /// `!#$%&'*+-.^_|~`, the backtick, digits and letters.
    private static let tchar = OctetSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)
}

/// A set of ASCII octets, one bit each: to look into it is cheaper than a table.
struct OctetSet: Sendable {
    /// The octets 0 to 63, and 64 to 127; the lowest bit first.
    let low: UInt64
    let high: UInt64

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        byte < 0x80 && ((byte < 0x40 ? low : high) &>> UInt64(byte & 0x3F)) & 1 == 1
    }

    /// This one's octets and those of an ASCII text.
    func union(_ marks: StaticString) -> OctetSet {
        var (low, high) = (low, high)
        marks.withUTF8Buffer { bytes in
            for byte in bytes {
                let bit = 1 as UInt64 &<< UInt64(byte & 0x3F)
                if byte < 0x40 { low |= bit } else { high |= bit }
            }
        }
        return OctetSet(low: low, high: high)
    }
}
