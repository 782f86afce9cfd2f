import HTTP

/// An answer that is kept: the same for everyone who asks for its target, in each coding that was
/// asked for. It never changes; with another coding it is another one.
final class CachedAnswer: Sendable {
    /// The answer in one coding.
    struct Variant: Sendable {
        let whole: ReadyAnswer
        /// The answer to a client whose copy still stands.
        let notModified: ReadyAnswer
        let etag: EntityTag?

        init(_ response: HTTPResponse, template: String) {
            whole = ReadyAnswer(response, template: template)
            var fields = response.fields
            for name in [HTTPFieldName.contentType, .contentEncoding] { fields.remove(name) }
            notModified = ReadyAnswer(
                HTTPResponse(.notModified, fields: fields), template: template)
            etag = response.fields[.etag].flatMap { EntityTag($0) }
        }

        var bytes: Int { whole.bytes + notModified.bytes }
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
    init(_ answer: CachedAnswer, _ compressed: HTTPResponse?) {
        key = answer.key
        dependencies = answer.dependencies
        expiresAt = answer.expiresAt
        stamp = answer.stamp
        plain = answer.plain
        mediaType = answer.mediaType
        lastModified = answer.lastModified
        let template = answer.plain.whole.template
        let variant = compressed.map { Variant($0, template: template) }
        compression = variant.map { .done($0) } ?? .useless
        cost = answer.cost + (variant?.bytes ?? 0)
    }

    /// The answer to these fields; `nil` if it has yet to be compressed for them, or they do not
    /// take its media type.
    func answer(to fields: borrowing HTTPFields) -> ReadyAnswer? {
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
    func plainAnswer(to fields: borrowing HTTPFields) -> ReadyAnswer { answer(plain, to: fields) }

    private func answer(_ variant: Variant, to fields: borrowing HTTPFields) -> ReadyAnswer {
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
