/// The media types that a client accepts, with their weights (RFC 9110 §12.5.1).
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
