/// Evaluates the preconditions of GET and HEAD requests.
///
/// Conditions are evaluated in the order of RFC 9110 §13.2.2, and never lead to 304 if they are
/// invalid. Its functions may be used on any thread.
///
/// ```swift
/// let outcome = ConditionalRequest.outcome(fields, etag: etag, lastModified: nil) {
///     etag.stronglyMatches($0)
/// }
/// ```
public enum ConditionalRequest {
    public enum Outcome: Sendable, Hashable {
        /// Respond as if the request had no preconditions.
        case proceed
        /// Respond with 304: the client's stored copy is current.
        case notModified
        /// Respond with 412: the condition in this field is false.
        case preconditionFailed(HTTPFieldName)
    }

    /// Returns true if the request has preconditions other than those of `Freshness`, which is
    /// rare.
    public static func hasPreconditions(_ fields: borrowing HTTPFields) -> Bool {
        fields.contains(.ifMatch) || fields.contains(.ifUnmodifiedSince)
    }

    /// Evaluates the preconditions of GET and HEAD in the order of RFC 9110 §13.2.2. Invalid dates
    /// are ignored; an invalid `If-Match` or `If-None-Match` matches nothing.
    ///
    /// - Parameters:
    ///   - fields: The fields of the request.
    ///   - etag: The entity tag of the selected representation; `nil` if it has none.
    ///   - lastModified: Seconds since 1970; `nil` if unknown.
    ///   - isLastModifiedSent: True if the response includes `Last-Modified`; otherwise
    ///     `If-Modified-Since` is ignored.
    ///   - isMeant: Returns true if a tag of `If-Match` matches the current representation.
    public static func outcome(
        _ fields: HTTPFields, etag: EntityTag?, lastModified: Int64?,
        isLastModifiedSent: Bool = true,
        isMeant: (EntityTag) -> Bool
    ) -> Outcome {
        if let text = fields.combined(.ifMatch) {
            guard matches(text, isMeant) else { return .preconditionFailed(.ifMatch) }
        } else if let lastModified, let text = fields.combined(.ifUnmodifiedSince),
            let since = HTTPDate.seconds(text), lastModified > since
        {
            return .preconditionFailed(.ifUnmodifiedSince)
        }
        let isNotModified = Freshness.isNotModified(
            fields, etag: etag, lastModified: isLastModifiedSent ? lastModified : nil)
        return isNotModified ? .notModified : .proceed
    }

    /// Returns true if the condition matches the current representation.
    static func matches(_ text: String, _ isSame: (EntityTag) -> Bool) -> Bool {
        switch TagCondition(text) {
        case .any?: true
        case .tags(let tags)?: tags.contains(where: isSame)
        case nil: false
        }
    }
}

/// A validator of a representation (RFC 9110 §8.8.3).
///
/// Its text is a valid field value. `==` also distinguishes strong and weak tags; RFC 9110 has two
/// other comparisons.
///
/// ```swift
/// if let sent = EntityTag("W/\"7-x1y2z3\""), let current = EntityTag(value: "7-x1y2z3") {
///     isCurrent = sent.weaklyMatches(current)
/// }
/// ```
public struct EntityTag: Sendable, Hashable {
    /// The characters between the quotes.
    public let value: String
    public let isWeak: Bool

    /// Creates a tag of these characters; `nil` if one is not an `etagc` (visible, not a quote).
    public init?(value: String, isWeak: Bool = false) {
        var value = value
        let isValid = value.withUTF8 { bytes in
            bytes.allSatisfy { $0 == 0x21 || ($0 > 0x22 && $0 != 0x7F) }
        }
        guard isValid else { return nil }
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

/// The value of `If-Match` or `If-None-Match` (RFC 9110 §13.1.1, §13.1.2).
///
/// A field with more than `limit` tags is invalid.
///
/// ```swift
/// if case .tags(let tags)? = TagCondition("\"6-x1y2z3\", \"7-x1y2z3\"") { expected = tags }
/// ```
public enum TagCondition: Sendable, Hashable {
    /// `*`
    case any
    /// At least one tag and at most `limit`.
    case tags([EntityTag])

    public static let limit = 50

    /// Parses a field value; `nil` if it is invalid.
    public init?(_ text: String) {
        var reader = FieldValueReader(text)
        var tags: [EntityTag] = []
        reader.skipEmptyElements()
        while !reader.isAtEnd {
            if tags.isEmpty, reader.take("*") {
                reader.skipSpace()
                guard reader.isAtEnd else { return nil }
                self = .any
                return
            }
            guard let tag = EntityTag(from: &reader), tags.count < Self.limit,
                reader.skipSeparators()
            else { return nil }
            tags.append(tag)
        }
        guard !tags.isEmpty else { return nil }
        self = .tags(tags)
    }
}

extension TagCondition: CustomStringConvertible {
    /// The condition as a field value.
    public var description: String {
        switch self {
        case .any: "*"
        case .tags(let tags): tags.map(\.description).joined(separator: ", ")
        }
    }
}

public typealias IfMatch = TagCondition
public typealias IfNoneMatch = TagCondition

/// Decides if a client's stored copy is still current.
package enum Freshness {
    /// Returns true if the response is 304 (RFC 9110 §13.2.2): `If-None-Match` by weak comparison,
    /// and `If-Modified-Since` only without it. Invalid values never lead to 304.
    ///
    /// - Parameters:
    ///   - fields: The fields of the request.
    ///   - etag: The entity tag of the selected representation; `nil` if it has none.
    ///   - lastModified: Seconds since 1970; `nil` if the response has no `Last-Modified`.
    package static func isNotModified(
        _ fields: HTTPFields, etag: EntityTag?, lastModified: Int64?
    ) -> Bool {
        if let text = fields.combined(.ifNoneMatch) {
            return ConditionalRequest.matches(text) { etag.map($0.weaklyMatches) ?? false }
        }
        guard let lastModified, let text = fields.combined(.ifModifiedSince),
            let since = HTTPDate.seconds(text)
        else { return false }
        return lastModified <= since
    }
}
