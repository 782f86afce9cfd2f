/// What the conditions of a request come to.
public enum ConditionalRequest {
    public enum Outcome: Sendable, Hashable {
        /// As if there were no conditions.
        case proceed
        /// 304: the client has it already.
        case notModified
        /// 412: the client means another state.
        case preconditionFailed
    }

    /// Evaluates the conditions in the order of RFC 9110 §13.2.2. Dates that cannot be read are as
    /// if absent; an `If-Match` that cannot be read matches nothing, and so does such an
    /// `If-None-Match`.
    ///
    /// - Parameters:
    ///   - etag: of the selected representation; `nil` if it has none.
    ///   - lastModified: seconds since 1970; `nil` if the answer does not tell.
    ///   - exists: whether there is a representation at all, which is what `*` asks.
    public static func outcome(
        _ method: HTTPMethod, _ fields: HTTPFields, etag: EntityTag?, lastModified: Int64?,
        exists: Bool = true
    ) -> Outcome {
        if let text = fields.combined(.ifMatch) {
            guard matches(text, exists, { tag in etag.map(tag.stronglyMatches) ?? false }) else {
                return .preconditionFailed
            }
        } else if let lastModified, let text = fields.combined(.ifUnmodifiedSince),
            let since = HTTPDate.seconds(text), lastModified > since
        {
            return .preconditionFailed
        }
        let isRead = method == .get || method == .head
        if isRead {
            let isNotModified = Freshness.isNotModified(
                fields, etag: etag, lastModified: lastModified, exists: exists)
            return isNotModified ? .notModified : .proceed
        }
        if let text = fields.combined(.ifNoneMatch),
            matches(text, exists, { tag in etag.map(tag.weaklyMatches) ?? false })
        {
            return .preconditionFailed
        }
        return .proceed
    }

    /// Whether the condition names what exists.
    static func matches(
        _ text: String, _ exists: Bool, _ isSame: (EntityTag) -> Bool
    ) -> Bool {
        switch TagCondition(text) {
        case .any?: exists
        case .tags(let tags)?: tags.contains(where: isSame)
        case nil: false
        }
    }
}
