/// Whether a client's stored copy still stands: the conditions of GET and HEAD.
package enum Freshness {
    /// Whether to answer 304 (RFC 9110 §13.2.2): `If-None-Match` by weak comparison, and only
    /// without it `If-Modified-Since`. What cannot be read asks for the whole answer.
    ///
    /// - Parameters:
    ///   - fields: of the request.
    ///   - etag: of the selected representation; `nil` if it has none.
    ///   - lastModified: seconds since 1970; `nil` if the answer does not tell.
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
