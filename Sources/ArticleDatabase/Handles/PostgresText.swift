import Glibc

/// Texts as PostgreSQL stores them: as they are, except for NUL, which it rejects (`bytea` has no
/// such limit, but nobody could read it). NUL becomes an escape and `0`, the escape itself the same
/// and `1`. It is U+10FFFF, which no text is supposed to contain (The Unicode Standard, 23.7).
enum PostgresText {
    private static let escape: [UInt8] = [0xF4, 0x8F, 0xBF, 0xBF]

    /// What is stored instead of the text; `nil` for the text itself.
    static func encoded(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard contains(text, 0) || contains(text, escape[0]) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count + 16)
        var rest = text[...]
        // Invariant: what precedes `rest` is encoded in `bytes`.
        while let byte = rest.first {
            if byte == 0 {
                bytes += escape + [UInt8(ascii: "0")]
                rest = rest.dropFirst()
            } else if rest.starts(with: escape) {
                bytes += escape + [UInt8(ascii: "1")]
                rest = rest.dropFirst(escape.count)
            } else {
                bytes.append(byte)
                rest = rest.dropFirst()
            }
        }
        return bytes
    }

    /// The text that is stored as these bytes.
    static func decoded(_ bytes: UnsafeRawBufferPointer) -> String {
        guard let text = decodedBytes(bytes) else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The text that is stored as these bytes; `nil` for the bytes themselves.
    static func decodedBytes(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard contains(bytes, escape[0]) else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var rest = bytes[...]
        // Invariant: what precedes `rest` is decoded in `text`.
        while let byte = rest.first {
            guard rest.starts(with: escape), rest.count > escape.count else {
                text.append(byte)
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst(escape.count)
            text += rest.first == UInt8(ascii: "0") ? [0] : escape
            rest = rest.dropFirst()
        }
        return text
    }

    private static func contains(_ bytes: UnsafeRawBufferPointer, _ byte: UInt8) -> Bool {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return false }
        return memchr(base, Int32(byte), bytes.count) != nil
    }
}
