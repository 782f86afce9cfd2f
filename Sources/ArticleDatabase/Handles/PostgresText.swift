import Glibc

/// Texts as PostgreSQL stores them: as they are, except for NUL, which it rejects (`bytea` has no
/// such limit, but nobody could read it). NUL becomes an escape and `0`, the escape itself the same
/// and `1`. It is U+10FFFF, which no text is supposed to contain (The Unicode Standard, 23.7).
enum PostgresText {
    private static let escape: [UInt8] = [0xF4, 0x8F, 0xBF, 0xBF]

    /// Returns the bytes that are stored instead of the text; `nil` for the text itself.
    static func encoded(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard contains(text, 0) || contains(text, escape[0]) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count + 16)
        var start = 0
        var (nul, mark) = (index(of: 0, in: text), index(of: escape[0], in: text))
        // Invariant: the text before `start` is encoded in `bytes`; `nul` and `mark` are the next
        // bytes of their kinds, or the end.
        while true {
            let next = min(nul, mark)
            bytes.append(contentsOf: text[start..<next])
            if next == text.count { return bytes }
            let isEscape = next == mark && text[next...].starts(with: escape)
            bytes += next == nul ? escape + [UInt8(ascii: "0")] : escape.prefix(isEscape ? 4 : 1)
            if isEscape { bytes.append(UInt8(ascii: "1")) }
            start = next + (isEscape ? escape.count : 1)
            if next == nul {
                nul = index(of: 0, in: text, from: start)
            } else {
                mark = index(of: escape[0], in: text, from: start)
            }
        }
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
        var start = 0
        // Invariant: the bytes before `start` are decoded in `text`.
        while true {
            let next = index(of: escape[0], in: bytes, from: start)
            text.append(contentsOf: bytes[start..<next])
            if next == bytes.count { return text }
            let rest = bytes[next...]
            guard rest.starts(with: escape), rest.count > escape.count else {
                text.append(escape[0])
                start = next + 1
                continue
            }
            text += bytes[next + escape.count] == UInt8(ascii: "0") ? [0] : escape
            start = next + escape.count + 1
        }
    }

    private static func contains(_ bytes: UnsafeRawBufferPointer, _ byte: UInt8) -> Bool {
        index(of: byte, in: bytes) < bytes.count
    }

    /// Returns the next index of the byte; the end if it is not there.
    private static func index(
        of byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int = 0
    ) -> Int {
        guard let base = bytes.baseAddress, start < bytes.count,
            let found = memchr(base + start, Int32(byte), bytes.count - start)
        else { return bytes.count }
        return UnsafeRawPointer(found) - base
    }
}
