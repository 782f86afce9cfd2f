/// Finds the end of a message head and its lines, reading each byte once.
///
/// Rejects bare CR, bare LF and control octets, which are not allowed anywhere in a head (RFC 9112
/// §2.2). The first invalid or excess octet determines the error, regardless of how the bytes were
/// split.
struct HeadScanner: Sendable {
    /// The end of each line's content (its CR), the start line first.
    private(set) var lineEnds: [Int] = []
    /// Where the start line begins, after empty lines.
    private(set) var start = 0
    /// The number of bytes that have been validated.
    private var scanned = 0
    private var lineStart = 0
    private var emptyLines = 0
    /// The position by which the start line, and later the field lines, must end.
    private var bound: Int
    private let limits: HTTPLimits

    init(limits: HTTPLimits) {
        self.limits = limits
        bound = limits.requestLineBytes
    }

    /// The length of the head with its final empty line; `nil` if more bytes are needed.
    mutating func scan(_ bytes: borrowing Span<UInt8>) throws(HTTPParseError) -> Int? {
        var position = scanned
        let count = bytes.count
        // Invariant: bytes before `position` are valid; `lineStart` is where their last line began.
        while position < count {
            position = Self.endOfContent(bytes, from: position, to: min(count, bound))
            guard position < count else { break }
            // The empty line that ends the head does not count towards the field lines.
            guard position < bound || position == lineStart else { throw tooLong }
            let byte = bytes[unchecked: position]
            if Token.isFieldContent(byte) { throw tooLong }
            guard byte == 0x0D else {
                throw .bad(
                    byte == 0x0A
                        ? "a line feed without a carriage return at byte \(position)"
                        : "a control character in the head at byte \(position)")
            }
            guard position + 1 < count else { break }
            guard bytes[unchecked: position + 1] == 0x0A else {
                throw .bad("a carriage return without a line feed at byte \(position)")
            }
            if try endLine(at: position) { return position + 2 }
            position += 2
            lineStart = position
        }
        scanned = position
        return nil
    }

    /// The position of the first octet that is not line content; `end` if all are.
    private static func endOfContent(
        _ bytes: borrowing Span<UInt8>, from start: Int, to end: Int
    ) -> Int {
        var position = start
        // Invariant: the bytes before `position` are content. It checks eight bytes at a time:
        // borrowing from the high bit reveals an octet below 0x20 or equal to 0x7F, unless its own
        // high bit is set; the lowest such bit is exact.
        while position + 8 <= end {
            let word = UInt64(
                littleEndian: bytes.bytes.unsafeLoadUnaligned(
                    fromUncheckedByteOffset: position, as: UInt64.self))
            let below = word &- 0x2020_2020_2020_2020
            let delete = (word ^ 0x7F7F_7F7F_7F7F_7F7F) &- 0x0101_0101_0101_0101
            let found = (below | delete) & ~word & 0x8080_8080_8080_8080
            guard found != 0 else {
                position += 8
                continue
            }
            position += found.trailingZeroBitCount / 8
            guard bytes[unchecked: position] == 0x09 else { return position }
            position += 1
        }
        while position < end, Token.isFieldContent(bytes[unchecked: position]) { position += 1 }
        return position
    }

    /// Resets the scanner for the next message and keeps its capacity.
    mutating func reset() {
        lineEnds.removeAll(keepingCapacity: true)
        (start, scanned, lineStart, emptyLines) = (0, 0, 0, 0)
        bound = limits.requestLineBytes
    }

    /// Whether the line that ends here is the end of the head.
    private mutating func endLine(at end: Int) throws(HTTPParseError) -> Bool {
        if end == lineStart {
            guard lineEnds.isEmpty else { return true }
            emptyLines += 1
            guard emptyLines <= limits.emptyLines else {
                throw .bad("too many empty lines before it")
            }
            start = end + 2
            bound = start + limits.requestLineBytes
            return false
        }
        guard end + 2 <= bound else { throw tooLong }
        if lineEnds.isEmpty { bound = end + 2 + limits.fieldBytes }
        lineEnds.append(end)
        guard lineEnds.count <= limits.fields + 1 else {
            throw HTTPParseError(
                .requestHeaderFieldsTooLarge, "more than \(limits.fields) fields")
        }
        return false
    }

    private var tooLong: HTTPParseError {
        lineEnds.isEmpty
            ? HTTPParseError(
                .uriTooLong, "a request line longer than \(limits.requestLineBytes) bytes")
            : HTTPParseError(
                .requestHeaderFieldsTooLarge, "more than \(limits.fieldBytes) bytes of fields")
    }
}
