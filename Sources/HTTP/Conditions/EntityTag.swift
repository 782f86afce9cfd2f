/// A validator of a representation (RFC 9110 §8.8.3).
public struct EntityTag: Sendable, Hashable {
    /// The characters between the quotes.
    public let value: String
    public let isWeak: Bool

    /// Creates a tag of these characters; `nil` if one is not an `etagc` (visible, not a quote).
    public init?(value: String, isWeak: Bool = false) {
        guard value.utf8.allSatisfy({ $0 == 0x21 || ($0 > 0x22 && $0 != 0x7F) }) else {
            return nil
        }
        self.value = value
        self.isWeak = isWeak
    }

    /// Parses `"value"` or `W/"value"`.
    public init?(_ text: String) {
        var reader = FieldValueReader(text)
        self.init(from: &reader)
        guard reader.isAtEnd else { return nil }
    }

    init?(from reader: inout FieldValueReader) {
        let isWeak = reader.take("W")
        guard !isWeak || reader.take("/"), reader.take("\""), let value = reader.text(until: "\"")
        else { return nil }
        self.init(value: value, isWeak: isWeak)
    }

    /// Strong comparison (RFC 9110 §8.8.3.2): both are strong and equal.
    public func stronglyMatches(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && value == other.value
    }

    /// Weak comparison (RFC 9110 §8.8.3.2): both are equal, strong or weak.
    public func weaklyMatches(_ other: EntityTag) -> Bool { value == other.value }
}

extension EntityTag: CustomStringConvertible {
    /// The tag as a field value.
    public var description: String { (isWeak ? "W/" : "") + "\"\(value)\"" }
}
