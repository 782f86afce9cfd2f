/// The media types that a client accepts, with their weights (RFC 9110 §12.5.1).
///
/// A value; use it anywhere. Reading it never fails: a client that sends nothing valid accepts
/// everything.
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

    /// Parses a field value. Invalid elements are ignored; if no valid element is left, or without
    /// the field, every type is acceptable.
    public init(_ text: String?) {
        var ranges: [MediaRange] = []
        var reader = FieldValueReader(text ?? "")
        reader.skipEmptyElements()
        while !reader.isAtEnd {
            let range = Self.range(&reader)
            if reader.skipSeparators() {
                if let range { ranges.append(range) }
            } else {
                reader.skipElement()
                reader.skipEmptyElements()
            }
        }
        self.ranges = ranges
    }

    private static func range(_ reader: inout FieldValueReader) -> MediaRange? {
        guard let type = MediaType(from: &reader) else { return nil }
        guard let weight = type.parameter("q") else { return MediaRange(type: type, quality: 1000) }
        return quality(weight).map { MediaRange(type: type, quality: $0) }
    }

    /// Parses a weight (RFC 9110 §12.4.2) in thousandths: 0 to 1, with at most three decimals.
    private static func quality(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard (1...5).contains(bytes.count), bytes.count == 1 || bytes[1] == UInt8(ascii: "."),
            bytes.enumerated().allSatisfy({ $0 == 1 || (48...57).contains($1) })
        else { return nil }
        var quality = Int(bytes[0] - 48)
        for index in 2..<5 {
            let digit = index < bytes.count ? Int(bytes[index] - 48) : 0
            quality = quality * 10 + digit
        }
        return quality <= 1000 ? quality : nil
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
        guard range.type == type.type else { return nil }
        if range.subtype == "*" { return 1 }
        guard range.subtype == type.subtype else { return nil }
        var specificity = 2
        for parameter in range.parameters {
            if parameter.name == "q" { break }
            let value = type.parameter(parameter.name)
            // Clients send `application/json; charset=utf-8`, though JSON has no such parameter.
            if parameter.name == "charset", value == nil { continue }
            guard value?.lowercased() == parameter.value.lowercased() else { return nil }
            specificity += 1
        }
        return specificity
    }
}

/// Whether a client accepts the gzip content coding (RFC 9110 §12.5.3).
///
/// It is evaluated for nearly every request, so it reads octets and creates no strings. A value;
/// use it anywhere.
///
/// ```swift
/// let usesGzip = AcceptEncoding(request.fields).prefersGzip
/// ```
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
