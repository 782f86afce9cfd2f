/// Finds the end of a message head and its lines, reading each byte once.
///
/// Rejects bare CR, bare LF and control octets, which are not allowed anywhere in a head (RFC 9112
/// §2.2); in a lenient response, a bare LF ends a line. The first invalid or excess octet
/// determines the error, regardless of how the bytes were split.
struct HeadScanner: Sendable {
    enum Kind: Sendable {
        case request
        case response
        /// A response of a server that may be old.
        case lenientResponse
    }

    /// The end of each line's content (its CR or bare LF), the start line first.
    private(set) var lineEnds: [Int] = []
    /// The offset of the start line, after empty lines.
    private(set) var start = 0
    /// True if a line of a lenient response ends with a bare LF.
    private var hasBareLineFeed = false
    /// The number of bytes that have been validated.
    private var scanned = 0
    private var lineStart = 0
    private var emptyLines = 0
    /// The position by which the start line, and later the field lines, must end.
    private var bound: Int
    private let limits: HTTPLimits
    private let kind: Kind

    init(limits: HTTPLimits, of kind: Kind) {
        self.limits = limits
        self.kind = kind
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
            var next = position + 2
            if byte == 0x0D {
                guard position + 1 < count else { break }
                guard bytes[unchecked: position + 1] == 0x0A else {
                    throw .bad("a carriage return without a line feed at byte \(position)")
                }
            } else {
                guard byte == 0x0A, kind == .lenientResponse else {
                    throw fault(byte, at: position)
                }
                hasBareLineFeed = true
                next = position + 1
            }
            if try endLine(at: position, next: next) { return next }
            position = next
            lineStart = position
        }
        scanned = position
        return nil
    }

    /// Returns the error for an octet that is neither line content nor the end of a line.
    private func fault(_ byte: UInt8, at position: Int) -> HTTPParseError {
        if byte == 0x0A {
            return .bad("a line feed without a carriage return at byte \(position)")
        }
        guard kind == .request, lineEnds.isEmpty, position > start else {
            return .bad("a control character in the head at byte \(position)")
        }
        return .bad(RequestTarget.ParsingError.octet(byte).description)
    }

    /// Returns true if the scanned head has a bare LF or a folded line and must be `repaired`.
    func needsRepair(_ bytes: borrowing Span<UInt8>) -> Bool {
        if hasBareLineFeed { return true }
        for end in lineEnds.dropFirst().dropLast() where Token.isSpace(bytes[end + 2]) {
            return true
        }
        return false
    }

    /// The lines of a head that needs repair, each ending with CRLF, and folded ones joined to the
    /// line before by a space (RFC 9112 §5.2); with the end of each line's content.
    func repaired(_ bytes: borrowing Span<UInt8>) -> (bytes: [UInt8], lineEnds: [Int]) {
        var repaired: [UInt8] = []
        var ends: [Int] = []
        var position = start
        // Invariant: the lines before `position` are in `repaired`; a line begins there.
        for (index, end) in lineEnds.enumerated() {
            if index > 1, Token.isSpace(bytes[position]) {
                repaired.removeLast(2)
                ends.removeLast()
                while position < end, Token.isSpace(bytes[position]) { position += 1 }
                repaired.append(0x20)
            }
            bytes.extracting(position..<end).withUnsafeBufferPointer {
                repaired.append(contentsOf: $0)
            }
            ends.append(repaired.count)
            repaired += [0x0D, 0x0A]
            position = bytes[end] == 0x0D ? end + 2 : end + 1
        }
        return (repaired, ends)
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
        hasBareLineFeed = false
        bound = limits.requestLineBytes
    }

    /// Ends a line; returns true if it was the last line of the head.
    private mutating func endLine(at end: Int, next: Int) throws(HTTPParseError) -> Bool {
        if end == lineStart {
            guard lineEnds.isEmpty else { return true }
            emptyLines += 1
            guard emptyLines <= limits.emptyLines else {
                throw .bad("too many empty lines before it")
            }
            start = next
            bound = start + limits.requestLineBytes
            return false
        }
        guard next <= bound else { throw tooLong }
        if lineEnds.isEmpty { bound = next + limits.fieldBytes }
        lineEnds.append(end)
        guard lineEnds.count <= limits.fields + 1 else {
            throw HTTPParseError(
                .requestHeaderFieldsTooLarge, "more than \(limits.fields) fields")
        }
        return false
    }

    private var tooLong: HTTPParseError {
        let line = kind == .request ? "request line" : "status line"
        return lineEnds.isEmpty
            ? HTTPParseError(
                .uriTooLong, "a \(line) longer than \(limits.requestLineBytes) bytes")
            : HTTPParseError(
                .requestHeaderFieldsTooLarge, "more than \(limits.fieldBytes) bytes of fields")
    }
}

/// The fields that determine framing and connection handling (RFC 9112 §6, §7, §9).
struct FieldLines: Sendable {
    private(set) var fields: HTTPFields
    private(set) var hostCount = 0
    private(set) var hasValidHost = false
    private(set) var hasExpect = false
    private var contentLength: Int?
    /// The transfer codings, one per element; `nil` without `Transfer-Encoding`.
    private var codings: [TransferCoding]?
    private var hasConnection = false

    /// Parses the lines after the start line (RFC 9112 §5).
    ///
    /// - Parameter lineEnds: The end of each line's content, the start line first.
    init(
        _ bytes: borrowing Span<UInt8>, lineEnds: borrowing [Int]
    ) throws(HTTPParseError) {
        let start = lineEnds[0] + 2
        let end = lineEnds[lineEnds.count - 1] + 2
        fields = HTTPFields(lines: bytes.extracting(start..<end), count: lineEnds.count - 1)
        var lineStart = start
        for index in 1..<lineEnds.count {
            try readLine(bytes, lineStart, lineEnds[index], offset: start)
            lineStart = lineEnds[index] + 2
        }
    }

    private mutating func readLine(
        _ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int, offset: Int
    ) throws(HTTPParseError) {
        var colon = start
        // Invariant: the octets from `start` to `colon` belong to a token.
        while colon < end, Token.contains(bytes[unchecked: colon]) { colon += 1 }
        guard colon < end, bytes[unchecked: colon] == UInt8(ascii: ":"), colon > start else {
            throw Self.fault(bytes, start, colon, end)
        }
        var valueStart = colon + 1
        while valueStart < end, Token.isSpace(bytes[unchecked: valueStart]) { valueStart += 1 }
        var valueEnd = end
        while valueEnd > valueStart, Token.isSpace(bytes[unchecked: valueEnd - 1]) { valueEnd -= 1 }
        fields.noteLine(
            name: (start - offset)..<(colon - offset),
            value: (valueStart - offset)..<(valueEnd - offset))
        try note(bytes.extracting(start..<colon), bytes.extracting(valueStart..<valueEnd))
    }

    /// The names of framing fields are compared by length first.
    private mutating func note(
        _ name: borrowing Span<UInt8>, _ value: borrowing Span<UInt8>
    ) throws(HTTPParseError) {
        switch name.count {
        case 4:
            guard Self.name(name, is: "host") else { return }
            hostCount += 1
            hasValidHost = Authority.isValid(value)
        case 6: if Self.name(name, is: "expect") { hasExpect = true }
        case 10: if Self.name(name, is: "connection") { hasConnection = true }
        case 14: if Self.name(name, is: "content-length") { try readLength(value) }
        case 17: if Self.name(name, is: "transfer-encoding") { readCodings(value) }
        default: break
        }
    }

    /// Only digits, and the same value each time (RFC 9110 §8.6).
    private mutating func readLength(_ value: borrowing Span<UInt8>) throws(HTTPParseError) {
        for digits in Self.elements(value) {
            guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }),
                let length = Int(String(decoding: digits, as: UTF8.self))
            else { throw .bad("a Content-Length that is not a number") }
            guard contentLength == nil || contentLength == length else {
                throw .bad("conflicting Content-Length values")
            }
            contentLength = length
        }
    }

    private mutating func readCodings(_ value: borrowing Span<UInt8>) {
        codings = (codings ?? []) + Self.elements(value).map(TransferCoding.init)
    }

    private static func fault(
        _ bytes: borrowing Span<UInt8>, _ start: Int, _ colon: Int, _ end: Int
    ) -> HTTPParseError {
        if Token.isSpace(bytes[start]) { return .bad("a folded field line at byte \(start)") }
        if colon < end, Token.isSpace(bytes[colon]) {
            return .bad("whitespace before a field's colon at byte \(colon)")
        }
        return .bad("a field line without a name and a colon at byte \(start)")
    }

    /// Splits a list into its elements, including empty ones. It reads octets, as a combining mark
    /// could hide a comma from a reader of characters.
    private static func elements(_ value: borrowing Span<UInt8>) -> [ArraySlice<UInt8>] {
        value.withUnsafeBufferPointer { Array($0) }
            .split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map(Token.trim)
    }

    private static func name(_ bytes: borrowing Span<UInt8>, is name: StaticString) -> Bool {
        // Invariant: the first `index` octets match the name.
        for index in 0..<bytes.count
        where Token.lowercase(bytes[unchecked: index]) != name.utf8Start[index] {
            return false
        }
        return true
    }
}

/// A transfer coding (RFC 9112 §7); only `chunked` is supported.
private enum TransferCoding: Sendable {
    case chunked, unknown, malformed

    init(_ bytes: ArraySlice<UInt8>) {
        let name = bytes.prefix { Token.contains($0) }
        let rest = Token.trim(bytes[name.endIndex...])
        guard !name.isEmpty, rest.isEmpty || rest.first == UInt8(ascii: ";") else {
            self = .malformed
            return
        }
        // `chunked` has no parameters (RFC 9112 §7.1).
        self =
            !Token.equal(name, "chunked".utf8) ? .unknown : rest.isEmpty ? .chunked : .malformed
    }
}

extension FieldLines {
    /// Returns the framing of the body (RFC 9112 §6.3); `nil` if the fields do not determine it.
    ///
    /// - Parameter isLenient: True if `Transfer-Encoding` takes precedence when the framing is
    ///   ambiguous.
    func framing(
        version: HTTPVersion, isLenient: Bool = false
    ) throws(HTTPParseError) -> BodyFraming? {
        guard let codings else {
            return contentLength.map { $0 == 0 ? BodyFraming.none : .length($0) }
        }
        guard version == .http11 || isLenient else { throw .bad("Transfer-Encoding in HTTP/1.0") }
        guard contentLength == nil || isLenient else {
            throw .bad("both Transfer-Encoding and Content-Length")
        }
        guard !codings.contains(.malformed) else { throw .bad("a malformed transfer coding") }
        // If chunked is not last, the end of the body cannot be determined (RFC 9112 §6.3).
        guard codings.last == .chunked || !codings.contains(.chunked) else {
            throw .bad("a transfer coding after chunked")
        }
        guard !codings.contains(.unknown) else {
            throw HTTPParseError(.notImplemented, "an unsupported transfer coding")
        }
        guard codings.count == 1 else { throw .bad("the chunked transfer coding applied twice") }
        return .chunked
    }

    /// Returns true if recipients may disagree about the end of the body: no other message can
    /// follow (RFC 9112 §6.1).
    func hasAmbiguousFraming(version: HTTPVersion) -> Bool {
        codings != nil && (contentLength != nil || version == .http10)
    }

    /// Returns true if the connection persists after this message (RFC 9112 §9.3).
    func keepsAlive(version: HTTPVersion) -> Bool {
        guard hasConnection else { return version == .http11 }
        if fields.list(.connection, has: "close") { return false }
        return version == .http11 || fields.list(.connection, has: "keep-alive")
    }

    /// True if 100-continue is the only expectation (RFC 9110 §10.1.1).
    var expectsOnlyContinue: Bool {
        fields.values(of: .expect).allSatisfy { value in
            value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                .allSatisfy { Token.equal(Token.trim(Array($0)[...]), "100-continue".utf8) }
        }
    }
}
