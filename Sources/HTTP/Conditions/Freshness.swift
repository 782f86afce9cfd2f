/// Whether a client's stored copy still stands: the conditions of GET and HEAD.
public enum Freshness {
    /// Whether to answer 304 (RFC 9110 §13.2.2): `If-None-Match` by weak comparison, and only
    /// without it `If-Modified-Since`. Fields that cannot be read are as if absent.
    ///
    /// - Parameter lastModified: seconds since 1970; `nil` if the answer does not tell.
    public static func isNotModified(
        _ fields: HTTPFields, etag: EntityTag?, lastModified: Int64?
    ) -> Bool {
        if let text = fields.combined(.ifNoneMatch) {
            guard let etag, let condition = IfNoneMatch(text) else { return false }
            switch condition {
            case .any: return true
            case .tags(let tags): return tags.contains { $0.weaklyMatches(etag) }
            }
        }
        guard let lastModified, let text = fields[.ifModifiedSince],
            let since = HTTPDate.seconds(text)
        else { return false }
        return lastModified <= since
    }
}
