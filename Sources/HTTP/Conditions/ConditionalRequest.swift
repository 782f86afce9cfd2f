/// What the conditions of GET and HEAD come to.
public enum ConditionalRequest {
    public enum Outcome: Sendable, Hashable {
        /// As if there were no conditions.
        case proceed
        /// 304: the client has it already.
        case notModified
        /// 412: the client means another state; this field says so.
        case preconditionFailed(HTTPFieldName)
    }

    /// Whether there are conditions beside those of `Freshness`: they are rare.
    public static func hasPreconditions(_ fields: borrowing HTTPFields) -> Bool {
        fields.contains(.ifMatch) || fields.contains(.ifUnmodifiedSince)
    }

    /// Evaluates the conditions of GET and HEAD in the order of RFC 9110 §13.2.2. Dates that cannot
    /// be read are as if absent; an `If-Match` that cannot be read matches nothing, and so does
    /// such an `If-None-Match`.
    ///
    /// - Parameters:
    ///   - fields: of the request.
    ///   - etag: of the selected representation; `nil` if it has none.
    ///   - lastModified: seconds since 1970; `nil` if it is not known.
    ///   - isTold: whether the answer tells it; otherwise no copy is known by it.
    ///   - isMeant: whether a tag of `If-Match` names what is there.
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

    /// Whether the condition names what exists.
    static func matches(_ text: String, _ isSame: (EntityTag) -> Bool) -> Bool {
        switch TagCondition(text) {
        case .any?: true
        case .tags(let tags)?: tags.contains(where: isSame)
        case nil: false
        }
    }
}
