/// What field lines say of the message itself (RFC 9112 §6, §7, §9), gathered as they are read.
struct FieldLines: Sendable {
    private(set) var fields = HTTPFields()
    private(set) var hostCount = 0
    private(set) var contentLength: Int?
    private(set) var codings: [String] = []
    private(set) var hasTransferEncoding = false
    private(set) var hasConnection = false
    private(set) var hasExpect = false

    /// Reads the lines between `start` and each end (RFC 9112 §5).
    init(
        _ bytes: borrowing Span<UInt8>, start: Int, ends: ArraySlice<Int>
    ) throws(HTTPParseError) {
        fields.reserve(bytes: (ends.last ?? start) - start + 2, count: ends.count)
        var lineStart = start
        for end in ends {
            try readLine(bytes, lineStart, end)
            lineStart = end + 2
        }
    }

    private mutating func readLine(
        _ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int
    ) throws(HTTPParseError) {
        var colon = start
        // Invariant: the octets from `start` to `colon` are of a token.
        while colon < end, Token.contains(bytes[unchecked: colon]) { colon += 1 }
        guard colon < end, bytes[unchecked: colon] == UInt8(ascii: ":"), colon > start else {
            throw Self.fault(bytes, start, colon, end)
        }
        var valueStart = colon + 1
        while valueStart < end, Self.isSpace(bytes[unchecked: valueStart]) { valueStart += 1 }
        var valueEnd = end
        while valueEnd > valueStart, Self.isSpace(bytes[unchecked: valueEnd - 1]) { valueEnd -= 1 }
        let name = bytes.extracting(start..<colon)
        let value = bytes.extracting(valueStart..<valueEnd)
        fields.appendChecked(name: name, value: value)
        try note(name, value)
    }

    /// Names that frame messages are told by their lengths first.
    private mutating func note(
        _ name: borrowing Span<UInt8>, _ value: borrowing Span<UInt8>
    ) throws(HTTPParseError) {
        switch name.count {
        case 4: if Self.name(name, is: "host") { hostCount += 1 }
        case 6: if Self.name(name, is: "expect") { hasExpect = true }
        case 10: if Self.name(name, is: "connection") { hasConnection = true }
        case 14: if Self.name(name, is: "content-length") { try readLength(value) }
        case 17:
            guard Self.name(name, is: "transfer-encoding") else { return }
            hasTransferEncoding = true
            codings += Self.text(value).split(separator: ",", omittingEmptySubsequences: false)
                .map { String($0).trimmed.lowercased() }
        default: break
        }
    }

    /// Digits only, and the same each time (RFC 9110 §8.6).
    private mutating func readLength(_ value: borrowing Span<UInt8>) throws(HTTPParseError) {
        for element in Self.text(value).split(separator: ",", omittingEmptySubsequences: false) {
            let digits = String(element).trimmed
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }),
                let length = Int(digits)
            else { throw .bad("Content-Length is no number of bytes") }
            guard contentLength == nil || contentLength == length else {
                throw .bad("Content-Length is given twice and differently")
            }
            contentLength = length
        }
        guard contentLength != nil else { throw .bad("Content-Length is no number of bytes") }
    }

    private static func fault(
        _ bytes: borrowing Span<UInt8>, _ start: Int, _ colon: Int, _ end: Int
    ) -> HTTPParseError {
        if isSpace(bytes[start]) { return .bad("a folded field line, at byte \(start)") }
        if colon < end, isSpace(bytes[colon]) {
            return .bad("a space before the colon of a field, at byte \(colon)")
        }
        return .bad("a field line without a name and a colon, at byte \(start)")
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func text(_ bytes: borrowing Span<UInt8>) -> String {
        bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    private static func name(_ bytes: borrowing Span<UInt8>, is name: StaticString) -> Bool {
        // Invariant: the first `index` octets are the name's.
        for index in 0..<bytes.count
        where Token.lowercase(bytes[unchecked: index]) != name.utf8Start[index] {
            return false
        }
        return true
    }
}

extension FieldLines {
    /// How the body is delimited (RFC 9112 §6.3), as far as fields tell; `nil` if they do not.
    func framing(version: HTTPVersion) throws(HTTPParseError) -> BodyFraming? {
        guard hasTransferEncoding else {
            return contentLength.map { $0 == 0 ? .none : .length($0) }
        }
        guard version == .http11 else { throw .bad("Transfer-Encoding in HTTP/1.0") }
        guard contentLength == nil else {
            throw .bad("both Transfer-Encoding and Content-Length")
        }
        guard !codings.contains(where: \.isEmpty) else { throw .bad("an empty transfer coding") }
        guard codings.allSatisfy({ $0 == "chunked" }) else {
            throw HTTPParseError(.notImplemented, "a transfer coding other than chunked")
        }
        guard codings.count == 1 else { throw .bad("the transfer coding chunked, twice") }
        return .chunked
    }

    /// Whether the connection goes on after this message (RFC 9112 §9.3).
    func keepsAlive(version: HTTPVersion) -> Bool {
        guard hasConnection else { return version == .http11 }
        if fields.list(.connection, has: "close") { return false }
        return version == .http11 || fields.list(.connection, has: "keep-alive")
    }
}
