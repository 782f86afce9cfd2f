/// Whether a client accepts the gzip content coding (RFC 9110 §12.5.3).
///
/// It is evaluated for nearly every request, so it reads octets and creates no strings.
public struct AcceptEncoding: Sendable, Hashable {
    // Weights in thousandths; `nil` if the field does not list the coding.
    private var gzip: Int?
    private var identity: Int?
    private var others: Int?

    /// Parses all `Accept-Encoding` fields. Invalid elements are ignored.
    public init(_ fields: borrowing HTTPFields) {
        fields.withEachValue(of: .acceptEncoding) { value in
            var start = 0
            // Invariant: the elements before `start` have been read.
            while start < value.count {
                var end = start
                while end < value.count, value[end] != UInt8(ascii: ",") { end += 1 }
                read(value.extracting(start..<end))
                start = end + 1
            }
        }
    }

    /// Whether gzip is acceptable and not weighted below `identity`. A client that lists neither
    /// gets no coding. One that rejects both gets the unencoded response, as does one that accepts
    /// only gzip where no gzip variant exists: an unreadable response is no improvement.
    public var prefersGzip: Bool {
        guard let gzip = gzip ?? others, gzip > 0 else { return false }
        return gzip >= identity ?? 0
    }

    private mutating func read(_ element: borrowing Span<UInt8>) {
        var position = 0
        Self.skipSpace(element, &position)
        let start = position
        while position < element.count, Token.contains(element[position]) { position += 1 }
        let name = element.extracting(start..<position)
        guard let weight = Self.weight(element, position) else { return }
        if Self.isName(name, "gzip") || Self.isName(name, "x-gzip") {
            gzip = max(gzip ?? 0, weight)
        } else if Self.isName(name, "identity") {
            identity = weight
        } else if Self.isName(name, "*") {
            others = weight
        }
    }

    /// Parses the weight after a coding (RFC 9110 §12.4.2) in thousandths, 1000 without one; `nil`
    /// if it is invalid.
    private static func weight(_ element: borrowing Span<UInt8>, _ start: Int) -> Int? {
        var position = start
        skipSpace(element, &position)
        guard position < element.count else { return 1000 }
        guard element[position] == UInt8(ascii: ";") else { return nil }
        position += 1
        skipSpace(element, &position)
        guard position + 2 < element.count, Token.lowercase(element[position]) == UInt8(ascii: "q"),
            element[position + 1] == UInt8(ascii: "=")
        else { return nil }
        position += 2
        var weight = 0
        var digits = 0
        // Invariant: the octets from the `=` to `position` belong to the weight; its first `digits`
        // digits are in `weight`.
        while position < element.count, !Token.isSpace(element[position]) {
            let byte = element[position]
            if digits == 1, byte == UInt8(ascii: "."), element[position - 1] != byte {
                position += 1
                continue
            }
            guard (48...57).contains(byte), digits < 4 else { return nil }
            weight = weight * 10 + Int(byte - 48)
            digits += 1
            position += 1
        }
        skipSpace(element, &position)
        guard position == element.count, digits > 0 else { return nil }
        for _ in digits..<4 { weight *= 10 }
        return weight <= 1000 ? weight : nil
    }

    private static func skipSpace(_ bytes: borrowing Span<UInt8>, _ position: inout Int) {
        while position < bytes.count, Token.isSpace(bytes[position]) { position += 1 }
    }

    private static func isName(_ bytes: borrowing Span<UInt8>, _ name: StaticString) -> Bool {
        guard bytes.count == name.utf8CodeUnitCount else { return false }
        // Invariant: the first `index` octets match the name.
        for index in 0..<bytes.count where Token.lowercase(bytes[index]) != name.utf8Start[index] {
            return false
        }
        return true
    }
}
