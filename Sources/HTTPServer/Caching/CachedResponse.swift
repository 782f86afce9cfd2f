import HTTP
import Synchronization

/// A cached response: the same for every request for its target, in each content coding that was
/// requested. It is immutable; adding a coding creates a new one.
final class CachedResponse: Sendable {
    /// The response in one coding. Its octets are serialized on the first hit: most responses are
    /// requested once and have been sent by then.
    final class Variant: Sendable {
        let response: HTTPResponse
        let etag: EntityTag?
        let template: String
        private let readyWhole = AtomicLazyReference<PreparedResponse>()
        private let readyNotModified = AtomicLazyReference<PreparedResponse>()

        init(_ response: HTTPResponse, template: String) {
            self.response = response
            self.template = template
            etag = response.fields[.etag].flatMap { EntityTag($0) }
        }

        var whole: PreparedResponse { ready(readyWhole, response) }
        var notModified: PreparedResponse { ready(readyNotModified, notModifiedResponse) }

        /// The 304 for a client whose stored copy is current.
        var notModifiedResponse: HTTPResponse {
            var fields = response.fields
            for name in [HTTPFieldName.contentType, .contentEncoding] { fields.remove(name) }
            return HTTPResponse(.notModified, fields: fields)
        }

        private func ready(
            _ place: borrowing AtomicLazyReference<PreparedResponse>,
            _ response: @autoclosure () -> HTTPResponse
        ) -> PreparedResponse {
            place.load() ?? place.storeIfNil(PreparedResponse(response(), template: template))
        }

        /// The maximum memory use: the body, the fields, and the heads of both responses.
        var bytes: Int {
            let fieldBytes = response.fields.wireBytes.count
            let headBytes = 2 * (2 * fieldBytes + PreparedResponse.addedHeadBytes)
            if case .bytes(let body) = response.body { return body.capacity + headBytes }
            return headBytes
        }
    }

    /// What a request receives: the response in an accepted coding, or a 304.
    struct Choice {
        fileprivate let variant: Variant
        fileprivate let isNotModified: Bool

        var response: HTTPResponse {
            isNotModified ? variant.notModifiedResponse : variant.response
        }

        var ready: PreparedResponse { isNotModified ? variant.notModified : variant.whole }
    }

    /// The state of the gzip coding.
    enum Compression: Sendable {
        /// No request has asked for it yet.
        case possible
        /// The response is too small, of another type, or would not get smaller.
        case useless
        case done(Variant)
    }

    let key: CacheKey
    let dependencies: [CacheTag]
    /// Milliseconds since 1970; `nil` if it does not expire.
    let expiresAt: Int64?
    /// The data that it was generated from includes at least this change.
    let stamp: Int64
    let plain: Variant
    let compression: Compression
    private let mediaType: MediaType?
    private let lastModified: Int64?
    /// The memory that it takes in the cache, with overhead.
    let cost: Int
    /// Overhead of tables, objects and allocations.
    private static let overheadBytes = 1_024

    init(
        _ key: CacheKey, template: String, _ response: HTTPResponse,
        dependencies: [CacheTag], expiresAt: Int64?, stamp: Int64
    ) {
        self.key = key
        self.dependencies = dependencies
        self.expiresAt = expiresAt
        self.stamp = stamp
        plain = Variant(response, template: template)
        mediaType = response.fields[.contentType].flatMap { MediaType($0) }
        lastModified = response.fields[.lastModified].flatMap { HTTPDate.seconds($0) }
        compression = Gzip.isWorthwhile(response) ? .possible : .useless
        cost =
            Self.overheadBytes + key.octets.count + plain.bytes
            + 64 * dependencies.count
    }

    /// The same response with the result of compressing it.
    init(_ base: CachedResponse, _ compressed: HTTPResponse?) {
        key = base.key
        dependencies = base.dependencies
        expiresAt = base.expiresAt
        stamp = base.stamp
        plain = base.plain
        mediaType = base.mediaType
        lastModified = base.lastModified
        let variant = compressed.map { Variant($0, template: base.plain.template) }
        compression = variant.map { .done($0) } ?? .useless
        cost = base.cost + (variant?.bytes ?? 0)
    }

    /// The response to a request with these fields; `nil` if it has to be compressed first, or the
    /// request does not accept its media type.
    func answer(to fields: borrowing HTTPFields) -> Choice? {
        guard isAccepted(by: fields) else { return nil }
        switch compression {
        case .useless: return answer(plain, to: fields)
        case .possible:
            return AcceptEncoding(fields).prefersGzip ? nil : answer(plain, to: fields)
        case .done(let compressed):
            return answer(AcceptEncoding(fields).prefersGzip ? compressed : plain, to: fields)
        }
    }

    /// The response without a content coding.
    func plainResponse(to fields: borrowing HTTPFields) -> Choice { answer(plain, to: fields) }

    private func answer(_ variant: Variant, to fields: borrowing HTTPFields) -> Choice {
        guard fields.contains(.ifNoneMatch) || fields.contains(.ifModifiedSince) else {
            return Choice(variant: variant, isNotModified: false)
        }
        let isCurrent = Freshness.isNotModified(
            fields, etag: variant.etag, lastModified: lastModified)
        return Choice(variant: variant, isNotModified: isCurrent)
    }

    private func isAccepted(by fields: borrowing HTTPFields) -> Bool {
        guard fields.contains(.accept), let mediaType else { return true }
        let accept = fields.combined(.accept)
        return accept == "*/*" || mediaType.isAccepted(by: accept)
    }
}
