/// Evaluates the preconditions of GET and HEAD requests.
public enum ConditionalRequest {
    public enum Outcome: Sendable, Hashable {
        /// Respond as if the request had no preconditions.
        case proceed
        /// Respond with 304: the client's stored copy is current.
        case notModified
        /// Respond with 412: the condition in this field is false.
        case preconditionFailed(HTTPFieldName)
    }

    /// Whether the request has preconditions other than those of `Freshness`, which is rare.
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
    ///   - isTold: Whether the response includes `Last-Modified`; otherwise `If-Modified-Since` is
    ///     ignored.
    ///   - isMeant: Whether a tag of `If-Match` matches the current representation.
    public static func outcome(
        _ fields: HTTPFields, etag: EntityTag?, lastModified: Int64?, isTold: Bool = true,
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
            fields, etag: etag, lastModified: isTold ? lastModified : nil)
        return isNotModified ? .notModified : .proceed
    }

    /// Whether the condition matches the current representation.
    static func matches(_ text: String, _ isSame: (EntityTag) -> Bool) -> Bool {
        switch TagCondition(text) {
        case .any?: true
        case .tags(let tags)?: tags.contains(where: isSame)
        case nil: false
        }
    }
}
