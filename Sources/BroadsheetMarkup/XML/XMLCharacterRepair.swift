/// Makes bytes UTF-8 of characters that XML allows, piece by piece, for `XMLRepair`.
///
/// Characters that XML does not allow are left out. A byte that is not UTF-8 is read as
/// windows-1252, as most such bytes were copied from there, or replaced by U+FFFD.
struct XMLCharacterRepair {
    private(set) var repairs = XMLRepairs()
    /// The reason why nothing is read any more, and the line.
    private(set) var failure: XMLError?
    private let readsWindows1252: Bool
    /// The beginning of a character, or of a pair of surrogates, whose rest has not arrived.
    private var rest: [UInt8] = []
    private var line = 1
    /// The number of bytes before `rest`.
    private var position = 0
    /// The number of bytes before this one that follow each other and are no text of UTF-8.
    private var run = 0
    /// The number of bytes by which runs were too long for windows-1252.
    private var foreign = 0

    /// So many such bytes in a row are no word of a language that windows-1252 was made for.
    private static let longRun = 6
    /// Maximum number of bytes at the end of such runs: beyond it, the text has another encoding.
    private static let limitForeign = 50

    init(readsWindows1252: Bool) { self.readsWindows1252 = readsWindows1252 }

    mutating func take(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        guard failure == nil else { return [] }
        let input = rest.isEmpty ? bytes : rest + bytes
        rest = []
        var output: [UInt8] = []
        output.reserveCapacity(input.count)
        var index = 0
        var start = 0
        // Invariant: input[..<start] is in `output`, as far as it is kept, and input[start..<index]
        // is to be kept as it is.
        while index < input.count, failure == nil {
            let byte = input[index]
            if byte >= 0x20 && byte < 0x80 || XMLNames.isSpace(byte) {
                if byte == 0x0A { line += 1 }
                run = 0
                index += 1
                continue
            }
            let found = Self.sequence(in: input[index...], isLast: isLast)
            guard case .replaced(let length, let bytes, let kind) = found else {
                guard case .valid(let length) = found else { break }
                // Two bytes of another encoding may look like a character.
                run = length == 2 && run > 0 ? run + 2 : 0
                index += length
                continue
            }
            output += input[start..<index]
            output += replacement(bytes, of: byte, kind, at: position + index)
            index += length
            start = index
        }
        output += input[start..<index]
        position += index
        rest = Array(input[index...])
        return output
    }

    private enum Sequence {
        case valid(Int)
        /// Its validity depends on the next bytes.
        case incomplete
        /// This number of bytes stands for others.
        case replaced(Int, [UInt8], XMLRepairs.Kind)
    }

    private static func sequence(in input: ArraySlice<UInt8>, isLast: Bool) -> Sequence {
        let first = input[input.startIndex]
        guard first >= 0x80 else { return .replaced(1, [], .character) }
        let (length, least): (Int, UInt32) =
            switch first {
            case 0xC2...0xDF: (2, 0x80)
            case 0xE0...0xEF: (3, 0x800)
            case 0xF0...0xF4: (4, 0x10000)
            default: (1, 0)
            }
        let tail = input.dropFirst().prefix(length - 1)
        let invalid = Sequence.replaced(1, [], .byte)
        guard length > 1, tail.allSatisfy({ $0 & 0xC0 == 0x80 }) else { return invalid }
        guard tail.count == length - 1 else { return isLast ? invalid : .incomplete }
        let value = tail.reduce(UInt32(first) & (0x7F >> UInt32(length))) {
            $0 << 6 | UInt32($1 & 0x3F)
        }
        guard value >= least, value <= 0x10FFFF else { return invalid }
        if let scalar = Unicode.Scalar(value) {
            return XMLCharacters.isAllowed(scalar) ? .valid(length) : .replaced(3, [], .character)
        }
        return surrogate(value, before: input.dropFirst(3).prefix(3), isLast: isLast)
    }

    /// Some programs write a character in two halves of three bytes each.
    private static func surrogate(
        _ high: UInt32, before next: ArraySlice<UInt8>, isLast: Bool
    ) -> Sequence {
        guard high < 0xDC00, next.isEmpty || next.first == 0xED else {
            return .replaced(3, [], .character)
        }
        guard next.count == 3 else { return isLast ? .replaced(3, [], .character) : .incomplete }
        let low = next.reduce(0) { $0 << 6 | UInt32($1 & 0x3F) } & 0xFFFF
        guard next.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }),
            let scalar = XMLCharacters.scalar(high: high, low: low)
        else {
            return .replaced(3, [], .character)
        }
        return .replaced(6, Array(String(scalar).utf8), .character)
    }

    private mutating func replacement(
        _ bytes: [UInt8], of byte: UInt8, _ kind: XMLRepairs.Kind, at position: Int
    ) -> [UInt8] {
        let isByte = kind == .byte
        let kind: XMLRepairs.Kind = isByte && !readsWindows1252 ? .undecodable : kind
        run = isByte ? run + 1 : 0
        if isByte, run >= Self.longRun { foreign += 1 }
        guard repairs.note(kind, line: line, position: position), foreign <= Self.limitForeign
        else {
            failure = XMLError(
                line: line,
                isByte ? .invalidEncoding : .tooManyRepairs(limit: XMLRepairs.limit))
            return []
        }
        guard isByte else { return bytes }
        return Array(String(readsWindows1252 ? Self.windows1252(byte) : "\u{FFFD}").utf8)
    }

    private static func windows1252(_ byte: UInt8) -> Unicode.Scalar {
        guard (0x80..<0xA0).contains(byte) else { return Unicode.Scalar(byte) }
        return windows1252Controls[Int(byte - 0x80)]
    }

    /// 0x80 to 0x9F.
    private static let windows1252Controls = Array(
        "€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ".unicodeScalars)
}
