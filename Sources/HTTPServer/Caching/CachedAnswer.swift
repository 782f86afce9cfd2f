import HTTP

/// An answer that is kept: the same for everyone who asks for its target, in each coding that was
/// asked for. It never changes; with another coding it is another one.
final class CachedAnswer: Sendable {
    /// The answer in one coding.
    struct Variant: Sendable {
        let whole: HTTPResponse
        /// The answer to a client whose copy still stands.
        let notModified: HTTPResponse
        let etag: EntityTag?
        let bytes: Int

        init(_ response: HTTPResponse) {
            whole = response
            var fields = response.fields
            for name in [HTTPFieldName.contentType, .contentEncoding] { fields.remove(name) }
            notModified = HTTPResponse(.notModified, fields: fields)
            etag = response.fields[.etag].flatMap { EntityTag($0) }
            bytes = response.body.count + 2 * response.fields.wireBytes.count
        }
    }

    /// What gzip makes of it.
    enum Compression: Sendable {
        /// Nobody asked yet.
        case possible
        /// Too small, of another kind, or no smaller for it.
        case useless
        case done(Variant)
    }

    let key: CacheKey
    /// The route that made it, for logs.
    let template: String
    let dependencies: [CacheDependency]
    /// Milliseconds since 1970; `nil`: no time ends it.
    let expiresAt: Int64?
    /// What was read for it is of this change or later.
    let stamp: Int64
    let plain: Variant
    let compression: Compression
    private let mediaType: MediaType?
    private let lastModified: Int64?
    /// Bytes that it takes in the cache, with all that belongs to it.
    let cost: Int
    /// Tables, objects and allocations around the bytes.
    private static let overheadBytes = 1_024

    init(
        _ key: CacheKey, template: String, _ response: HTTPResponse,
        dependencies: [CacheDependency], expiresAt: Int64?, stamp: Int64
    ) {
        self.key = key
        self.template = template
        self.dependencies = dependencies
        self.expiresAt = expiresAt
        self.stamp = stamp
        plain = Variant(response)
        mediaType = response.fields[.contentType].flatMap { MediaType($0) }
        lastModified = response.fields[.lastModified].flatMap { HTTPDate.seconds($0) }
        compression = Gzip.isWorthwhile(response) ? .possible : .useless
        cost =
            Self.overheadBytes + key.octets.count + plain.bytes
            + 64 * dependencies.count
    }

    /// The same answer with what came of compressing it.
    init(_ answer: CachedAnswer, _ compressed: HTTPResponse?) {
        key = answer.key
        template = answer.template
        dependencies = answer.dependencies
        expiresAt = answer.expiresAt
        stamp = answer.stamp
        plain = answer.plain
        mediaType = answer.mediaType
        lastModified = answer.lastModified
        let variant = compressed.map { Variant($0) }
        compression = variant.map { .done($0) } ?? .useless
        cost = answer.cost + (variant?.bytes ?? 0)
    }

    /// The answer to these fields; `nil` if it has yet to be compressed for them, or they do not
    /// take its media type.
    func response(to fields: borrowing HTTPFields) -> HTTPResponse? {
        guard isAccepted(by: fields) else { return nil }
        let variant: Variant
        switch compression {
        case .useless: variant = plain
        case .possible:
            guard !AcceptEncoding(fields).prefersGzip else { return nil }
            variant = plain
        case .done(let compressed):
            variant = AcceptEncoding(fields).prefersGzip ? compressed : plain
        }
        return response(variant, to: fields)
    }

    /// The answer without a coding.
    func plainResponse(to fields: borrowing HTTPFields) -> HTTPResponse {
        response(plain, to: fields)
    }

    private func response(_ variant: Variant, to fields: borrowing HTTPFields) -> HTTPResponse {
        guard fields.contains(.ifNoneMatch) || fields.contains(.ifModifiedSince) else {
            return variant.whole
        }
        let stands = Freshness.isNotModified(
            fields, etag: variant.etag, lastModified: lastModified)
        return stands ? variant.notModified : variant.whole
    }

    private func isAccepted(by fields: borrowing HTTPFields) -> Bool {
        guard fields.contains(.accept), let mediaType else { return true }
        let accept = fields.combined(.accept)
        return accept == "*/*" || mediaType.isAccepted(by: accept)
    }
}

extension HTTPBody {
    fileprivate var count: Int {
        if case .bytes(let bytes) = self { bytes.count } else { 0 }
    }
}
