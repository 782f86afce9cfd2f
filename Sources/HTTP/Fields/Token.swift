/// The octet classes of RFC 9110 §5.
enum Token {
    /// `tchar`: the octets of tokens (RFC 9110 §5.6.2).
    @inline(__always)
    static func contains(_ byte: UInt8) -> Bool { tchar.contains(byte) }

    /// Whether an octet is allowed in a field value (RFC 9110 §5.5): visible, space, tab, obs-text.
    @inline(__always)
    static func isFieldContent(_ byte: UInt8) -> Bool {
        byte >= 0x20 ? byte != 0x7F : byte == 0x09
    }

    /// Optional white space (RFC 9110 §5.6.3).
    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Converts ASCII letters to lower case and leaves other octets unchanged.
    @inline(__always)
    static func lowercase(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Whether both are equal, ignoring the case of ASCII letters only: to Unicode, the Kelvin sign
    /// is a `K`; to HTTP, it is not.
    static func equal(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        left.count == right.count
            && zip(left, right).allSatisfy { lowercase($0) == lowercase($1) }
    }

    /// The same for borrowed octets and a text.
    static func equal(_ left: borrowing Span<UInt8>, _ right: String) -> Bool {
        var right = right
        return right.withUTF8 { right in
            guard left.count == right.count else { return false }
            // Invariant: the first `index` octets are equal except for case.
            for index in 0..<right.count where lowercase(left[index]) != lowercase(right[index]) {
                return false
            }
            return true
        }
    }

    /// The octets without surrounding optional white space.
    static func trim(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = bytes.firstIndex(where: { !isSpace($0) }),
            let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return bytes[first...last]
    }

    /// `!#$%&'*+-.^_|~`, the backtick, digits and letters.
    private static let tchar = OctetSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)
}

/// A set of ASCII octets, one bit each; a lookup is cheaper than in a table.
struct OctetSet: Sendable {
    /// The octets 0 to 63 and 64 to 127, lowest bit first.
    let low: UInt64
    let high: UInt64

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        byte < 0x80 && ((byte < 0x40 ? low : high) &>> UInt64(byte & 0x3F)) & 1 == 1
    }

    /// This set with the octets of an ASCII text added.
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
