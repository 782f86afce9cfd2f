/// The media types that a client accepts, with their weights (RFC 9110 §12.5.1).
///
/// Reading it never fails: a client that sends nothing valid accepts everything, `*` alone stands
/// for `*/*`, and a range whose weight is invalid still counts. A type with a suffix
/// also counts as the format that the suffix names: `application/rss+xml` is acceptable to a client
/// that accepts `application/xml` or `text/xml` (RFC 6839).
///
/// ```swift
/// let accept = Accept("text/html;q=0.5, application/json")
/// let best = accept.best(of: offers)
/// ```
public struct Accept: Sendable, Hashable {
    private struct MediaRange: Sendable, Hashable {
        let type: MediaType
        /// In thousandths.
        let quality: Int
    }

    /// If empty, every type is acceptable.
    private let ranges: [MediaRange]

    /// Parses a field value. Elements that are no media ranges are ignored; if no range is left, or
    /// without the field, every type is acceptable.
    public init(_ text: String?) {
        var ranges: [MediaRange] = []
        var reader = FieldValueReader(text ?? "")
        reader.skipEmptyElements()
        while !reader.isAtEnd {
            if let type = MediaType(from: &reader, isRange: true) {
                let weight = type.parameter("q")
                let octets = Array((weight ?? "1").utf8)[...]
                let quality = Weight.thousandths(of: octets.span)
                ranges.append(MediaRange(type: type, quality: quality))
            }
            if !reader.skipSeparators() {
                reader.skipElement()
                reader.skipEmptyElements()
            }
        }
        self.ranges = ranges
    }

    /// The type's weight, 0 (not acceptable) to 1000. The most specific matching range decides.
    public func quality(of type: MediaType) -> Int {
        guard !ranges.isEmpty else { return 1000 }
        var best = (specificity: -1, quality: 0)
        for range in ranges {
            guard let specificity = Self.specificity(of: range.type, for: type) else { continue }
            if (specificity, range.quality) > best { best = (specificity, range.quality) }
        }
        return best.quality
    }

    /// The offer with the highest weight, the first among equals; `nil` if none is acceptable.
    public func best(of offers: [MediaType]) -> MediaType? {
        var best: (offer: MediaType, quality: Int)?
        for offer in offers {
            let quality = quality(of: offer)
            if quality > best?.quality ?? 0 { best = (offer, quality) }
        }
        return best?.offer
    }

    /// `nil` if the range does not match the type.
    private static func specificity(of range: MediaType, for type: MediaType) -> Int? {
        if range.type == "*" { return range.subtype == "*" ? 0 : nil }
        if range.type == type.type, range.subtype == "*" { return 1 }
        guard range.type == type.type, range.subtype == type.subtype else {
            return isSuffix(range, of: type) ? 2 : nil
        }
        var specificity = 3
        for parameter in range.parameters {
            if parameter.name == "q" { break }
            let value = type.parameter(parameter.name)
            // Clients send `application/json; charset=utf-8`, though JSON has no such parameter.
            if value == nil, parameter.name == "charset" || parameter.value.isEmpty { continue }
            guard value?.lowercased() == parameter.value.lowercased() else { return nil }
            specificity += 1
        }
        return specificity
    }

    /// Returns true if the range is the format that the type's suffix names (RFC 6839).
    private static func isSuffix(_ range: MediaType, of type: MediaType) -> Bool {
        switch range.subtype {
        case "xml":
            (range.type == "application" || range.type == "text") && type.subtype.hasSuffix("+xml")
        case "json": range.type == "application" && type.subtype.hasSuffix("+json")
        default: false
        }
    }
}

/// A weight of content negotiation (RFC 9110 §12.4.2).
enum Weight {
    /// Reads a weight in thousandths. Clients also send `.2`, `2` or four decimals: these count as
    /// the nearest weight. A value that is not a number counts as 1.
    static func thousandths(of text: borrowing Span<UInt8>) -> Int {
        var (whole, fraction, scale) = (0, 0, 1000)
        var (digits, hasPoint, isTiny) = (0, false, false)
        // Invariant: the octets before `index` are a decimal number of `whole` (at most 1) and
        // `fraction` thousandths; `scale` is the weight of its last decimal.
        for index in 0..<text.count {
            let byte = text[index]
            if byte == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
                continue
            }
            guard (48...57).contains(byte) else { return 1000 }
            let digit = Int(byte - 48)
            digits += 1
            if !hasPoint {
                whole = min(1, whole + digit)
            } else {
                scale /= 10
                fraction += digit * scale
                isTiny = isTiny || digit > 0
            }
        }
        guard digits > 0 else { return 1000 }
        return whole > 0 ? 1000 : max(fraction, isTiny ? 1 : 0)
    }
}

/// A client's preference for or against the gzip content coding (RFC 9110 §12.5.3).
///
/// It is evaluated for nearly every request, so it reads octets and creates no strings.
///
/// ```swift
/// let usesGzip = AcceptEncoding(request.fields).prefersGzip
/// ```
public struct AcceptEncoding: Sendable, Hashable {
    // Weights in thousandths; `nil` if the field does not list the coding.
    private var gzip: Int?
    private var identity: Int?
    private var others: Int?

    /// Parses all `Accept-Encoding` fields. Elements that are not a coding, perhaps with a weight,
    /// are ignored; an invalid weight counts as in ``Accept``.
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

    /// True if gzip is acceptable and not weighted below `identity`. A client that lists neither
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
    /// if something else follows.
    private static func weight(_ element: borrowing Span<UInt8>, _ start: Int) -> Int? {
        var position = start
        skipSpace(element, &position)
        guard position < element.count else { return 1000 }
        guard element[position] == UInt8(ascii: ";") else { return nil }
        position += 1
        skipSpace(element, &position)
        guard position + 1 < element.count, Token.lowercase(element[position]) == UInt8(ascii: "q"),
            element[position + 1] == UInt8(ascii: "=")
        else { return nil }
        position += 2
        let valueStart = position
        while position < element.count, !Token.isSpace(element[position]) { position += 1 }
        let weight = Weight.thousandths(of: element.extracting(valueStart..<position))
        skipSpace(element, &position)
        return position == element.count ? weight : nil
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
