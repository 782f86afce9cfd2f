/// Whether a client's stored copy is still current.
package enum Freshness {
    /// Whether to respond with 304 (RFC 9110 §13.2.2): `If-None-Match` by weak comparison, and
    /// `If-Modified-Since` only without it. Invalid values never lead to 304.
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
