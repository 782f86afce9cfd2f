/// Writes compact JSON (RFC 8259) in the order of the calls, so that the same values always give
/// the same bytes.
///
/// It does not check that the calls make a JSON value.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.object {
///     $0.name("title")
///     $0.string("Bread")
/// }
/// ```
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// A writer with room for `capacity` bytes.
    package init(capacity: Int = 256) { bytes.reserveCapacity(capacity) }

    /// Writes an object; `members` calls `name` before each value.
    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        members(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// Writes an array; `items` calls `element` before each value.
    package mutating func array(_ items: (inout JSONWriter) -> Void) {
        bytes.append(UInt8(ascii: "["))
        needsComma = false
        items(&self)
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// Must be called before each value of an array.
    package mutating func element() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Must be called before each value of an object.
    package mutating func name(_ name: String) {
        element()
        string(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Begins a new sequence of members: no comma is written before the next one.
    mutating func beginSequence() { needsComma = false }

    /// Writes a name that is already JSON text, as `"name":`.
    mutating func name(written name: [UInt8]) {
        element()
        bytes.append(contentsOf: name)
    }

    /// Writes a name that is already JSON text, as `"name":`.
    mutating func name(written name: UnsafeBufferPointer<UInt8>) {
        element()
        bytes.append(contentsOf: name)
    }

    package mutating func null() { raw("null") }

    package mutating func boolean(_ value: Bool) { raw(value ? "true" : "false") }

    package mutating func integer(_ value: Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { text in
            var (rest, place) = (value.magnitude, 20)
            // Invariant: the digits behind those of `rest` are written from `place` on.
            repeat {
                place -= 1
                text[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if value < 0 {
                place -= 1
                text[place] = UInt8(ascii: "-")
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[place...]))
        }
    }

    /// Writes a number; `null` if it is not finite. Zero has one sign, and whole numbers have no
    /// fraction, so that equal values give the same bytes, which any reader takes.
    mutating func number(_ value: Double) {
        guard value.isFinite else { return null() }
        if let integer = Int64(exactly: value), abs(value) < 1e15 { return raw(String(integer)) }
        raw("\(value)")
    }

    /// Writes text that is already JSON.
    mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Writes a string from bytes that need no escaping.
    mutating func string(_ write: (inout [UInt8]) -> Void) {
        bytes.append(UInt8(ascii: "\""))
        write(&bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a string; escapes only the characters that RFC 8259 §7 requires to be escaped.
    package mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { escaped($0) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// The encoded length of a string in bytes, including its quotation marks.
    package static func bytes(of text: String) -> Int {
        var text = text
        return text.withUTF8 { text in
            var count = text.count + 2
            for byte in text
            where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x08, 0x09, 0x0A, 0x0C, 0x0D:
                    count += 1
                default: count += 5
                }
            }
            return count
        }
    }

    private mutating func escaped(_ text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        var index = 0
        // Invariant: everything before `start` is written; text[start..<index] needs no escaping.
        while index < text.count {
            if index + 8 <= text.count, !Self.needsEscape(in: text, at: index) {
                index += 8
                continue
            }
            let byte = text[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
                index += 1
                continue
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
            escape(byte)
            index += 1
            start = index
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
    }

    /// Returns true if one of the eight bytes from an index may need escaping: a byte that is below
    /// 0x20, or is zero after its difference from a quotation mark or a backslash, borrows from its
    /// highest bit. A byte after such a one may be taken for one, too.
    @inline(__always)
    private static func needsEscape(in text: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let word = UnsafeRawBufferPointer(text).loadUnaligned(
            fromByteOffset: index, as: UInt64.self)
        let quotes = word ^ ones &* UInt64(UInt8(ascii: "\""))
        let backslashes = word ^ ones &* UInt64(UInt8(ascii: "\\"))
        let found =
            (word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes
            | (backslashes &- ones) & ~backslashes
        return found & 0x8080_8080_8080_8080 != 0
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            raw("u00")
            bytes.append(byte >> 4 + UInt8(ascii: "0"))
            let low = byte & 0xF
            bytes.append(low < 10 ? low + UInt8(ascii: "0") : low + 87)
        }
    }
}
