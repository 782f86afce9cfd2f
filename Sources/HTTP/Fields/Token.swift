/// The octet classes of RFC 9110 §5.
enum Token {
    /// `tchar`: what tokens are made of (RFC 9110 §5.6.2).
    @inline(__always)
    static func contains(_ byte: UInt8) -> Bool { table[Int(byte)] }

    /// Whether an octet may stand in a field value (RFC 9110 §5.5): visible, space, tab, obs-text.
    @inline(__always)
    static func isFieldContent(_ byte: UInt8) -> Bool {
        byte >= 0x20 ? byte != 0x7F : byte == 0x09
    }

    /// ASCII letters to lower case, all else as it is.
    @inline(__always)
    static func lowercase(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    private static let table: InlineArray<256, Bool> = {
        var table = InlineArray<256, Bool>(repeating: false)
        let marks = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        for byte in marks.utf8 { table[Int(byte)] = true }
        return table
    }()
}
