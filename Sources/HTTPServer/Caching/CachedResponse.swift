import HTTP
import Synchronization

/// An answer that is kept: the same for everyone who asks for its target, in each coding that was
/// asked for. It never changes; with another coding it is another one.
final class CachedResponse: Sendable {
    /// The answer in one coding. Its octets are made once they are asked for: most answers are
    /// asked for once, and have gone out by then.
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

        /// The answer to a client whose copy still stands.
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

        /// What it takes in memory at most: the body, the fields, and the heads of both.
        var bytes: Int {
            let fieldBytes = response.fields.wireBytes.count
            let headBytes = 2 * (2 * fieldBytes + PreparedResponse.addedHeadBytes)
            if case .bytes(let body) = response.body { return body.capacity + headBytes }
            return headBytes
        }
    }

    /// What a request gets: the answer in the coding that it takes, or that its copy still stands.
    struct Choice {
        fileprivate let variant: Variant
        fileprivate let isNotModified: Bool

        var response: HTTPResponse {
            isNotModified ? variant.notModifiedResponse : variant.response
        }

        var ready: PreparedResponse { isNotModified ? variant.notModified : variant.whole }
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
    let dependencies: [CacheTag]
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

    /// The same answer with what came of compressing it.
    init(_ answer: CachedResponse, _ compressed: HTTPResponse?) {
        key = answer.key
        dependencies = answer.dependencies
        expiresAt = answer.expiresAt
        stamp = answer.stamp
        plain = answer.plain
        mediaType = answer.mediaType
        lastModified = answer.lastModified
        let variant = compressed.map { Variant($0, template: answer.plain.template) }
        compression = variant.map { .done($0) } ?? .useless
        cost = answer.cost + (variant?.bytes ?? 0)
    }

    /// The answer to these fields; `nil` if it has yet to be compressed for them, or they do not
    /// take its media type.
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

    /// The answer without a coding.
    func plainAnswer(to fields: borrowing HTTPFields) -> Choice { answer(plain, to: fields) }

    private func answer(_ variant: Variant, to fields: borrowing HTTPFields) -> Choice {
        guard fields.contains(.ifNoneMatch) || fields.contains(.ifModifiedSince) else {
            return Choice(variant: variant, isNotModified: false)
        }
        let stands = Freshness.isNotModified(
            fields, etag: variant.etag, lastModified: lastModified)
        return Choice(variant: variant, isNotModified: stands)
    }

    private func isAccepted(by fields: borrowing HTTPFields) -> Bool {
        guard fields.contains(.accept), let mediaType else { return true }
        let accept = fields.combined(.accept)
        return accept == "*/*" || mediaType.isAccepted(by: accept)
    }
}
