public import BroadsheetHTTP
import BroadsheetHTTP2
import CBroadsheetZlib
import Synchronization

/// A cached response: the same for every request for its target, in each content coding that was
/// requested. It is immutable; adding a coding creates a new one.
final class CachedResponse: Sendable {
    /// The response in one coding. Its octets are serialized on the first hit: most responses are
    /// requested once and have been sent by then.
    final class Variant: Sendable {
        let response: HTTPResponse
        let template: String
        private let readyFields = AtomicLazyReference<ParsedFields>()
        private let readyWhole = AtomicLazyReference<PreparedResponse>()
        private let readyNotModified = AtomicLazyReference<PreparedResponse>()

        init(_ response: HTTPResponse, template: String) {
            self.response = response
            self.template = template
        }

        /// The fields by which requests choose and validate responses, parsed on first use: many
        /// requests have no preference, and most responses are requested once.
        var parsed: ParsedFields {
            readyFields.load() ?? readyFields.storeIfNil(ParsedFields(response.fields))
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

    /// Fields of a response as values.
    final class ParsedFields: Sendable {
        let etag: EntityTag?
        let lastModified: Int64?
        let mediaType: MediaType?

        fileprivate init(_ fields: HTTPFields) {
            etag = fields[.etag].flatMap { EntityTag($0) }
            lastModified = fields[.lastModified].flatMap { HTTPDate.seconds($0) }
            mediaType = fields[.contentType].flatMap { MediaType($0) }
        }
    }

    /// The response to a request: the content in an accepted coding, or a 304.
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
    /// The data that it was generated from is at least as recent.
    let stamp: ReadStamp
    let plain: Variant
    let compression: Compression
    /// The memory that it takes in the cache, with overhead.
    let cost: Int
    /// Overhead of tables, objects and allocations.
    private static let overheadBytes = 1_024

    init(
        _ key: CacheKey, template: String, _ response: HTTPResponse,
        dependencies: [CacheTag], expiresAt: Int64?, stamp: ReadStamp
    ) {
        self.key = key
        self.dependencies = dependencies
        self.expiresAt = expiresAt
        self.stamp = stamp
        plain = Variant(response, template: template)
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
        let variant = compressed.map { Variant($0, template: base.plain.template) }
        compression = variant.map { .done($0) } ?? .useless
        cost = base.cost + (variant?.bytes ?? 0)
    }

    /// The response to a request with these fields; `nil` if it has to be compressed first, or the
    /// request does not accept its media type.
    func choice(for fields: borrowing HTTPFields) -> Choice? {
        guard isAccepted(by: fields) else { return nil }
        switch compression {
        case .useless: return choice(plain, for: fields)
        case .possible:
            return AcceptEncoding(fields).prefersGzip ? nil : choice(plain, for: fields)
        case .done(let compressed):
            return choice(AcceptEncoding(fields).prefersGzip ? compressed : plain, for: fields)
        }
    }

    /// The response without a content coding.
    func plainResponse(to fields: borrowing HTTPFields) -> Choice { choice(plain, for: fields) }

    private func choice(_ variant: Variant, for fields: borrowing HTTPFields) -> Choice {
        guard fields.contains(.ifNoneMatch) || fields.contains(.ifModifiedSince) else {
            return Choice(variant: variant, isNotModified: false)
        }
        let isCurrent = Freshness.isNotModified(
            fields, etag: variant.parsed.etag, lastModified: plain.parsed.lastModified)
        return Choice(variant: variant, isNotModified: isCurrent)
    }

    private func isAccepted(by fields: borrowing HTTPFields) -> Bool {
        guard fields.contains(.accept), let mediaType = plain.parsed.mediaType else { return true }
        let accept = fields.combined(.accept)
        return accept == "*/*" || mediaType.isAccepted(by: accept)
    }
}

/// A serialized response that lacks only the fields of each request (`Date`, the request ID). It is
/// a class, so that passing it on copies one reference.
final class PreparedResponse: Sendable {
    let response: HTTPResponse
    /// The template of the route that generated it, for logs.
    let template: String
    /// Status line and fields, without the empty line.
    let head: [UInt8]
    let body: [UInt8]
    /// The range of `public` in the head's `Cache-Control`, which is replaced for readers with
    /// credentials; `nil` if it is missing.
    let publicWord: Range<Int>?
    private let http2Head = AtomicLazyReference<HTTP2Head>()

    /// The fields for HTTP/2, made on first use.
    var http2: HTTP2Head { http2Head.load() ?? http2Head.storeIfNil(HTTP2Head(response)) }

    /// The fields of a response in the form of HTTP/2.
    final class HTTP2Head: Sendable {
        let whole: HTTP2Fields
        /// The same for a reader with credentials.
        let forReader: HTTP2Fields

        fileprivate init(_ response: HTTPResponse) {
            var response = response
            SecurityHeaders.add(to: &response.fields, of: response.status)
            var length: Int? = 0
            if case .bytes(let bytes) = response.body { length = bytes.count }
            if response.status.forbidsBody { length = nil }
            whole = HTTP2Fields(response, length: length)
            forReader = HTTP2Fields(response.madePrivate(), length: length)
        }
    }

    /// The approximate size of the head without the response's own fields: the status line,
    /// security headers and the length.
    static let addedHeadBytes = 256

    /// - Parameter response: A response with bytes or without a body.
    init(_ response: HTTPResponse, template: String) {
        self.response = response
        self.template = template
        if case .bytes(let bytes) = response.body { body = bytes } else { body = [] }
        var head: [UInt8] = []
        var fields = response.fields
        SecurityHeaders.add(to: &fields, of: response.status)
        ResponseSerializer.appendConstant(
            status: response.status, fields: fields,
            framing: response.status.forbidsBody ? .none : .length(body.count), to: &head)
        self.head = head
        publicWord = Self.publicWord(of: fields, in: head)
    }

    private static func publicWord(of fields: HTTPFields, in head: [UInt8]) -> Range<Int>? {
        guard let value = fields.valuePlace(of: .cacheControl),
            fields.wireBytes[value].starts(with: word),
            let statusLineEnd = head.firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        let start = statusLineEnd + 1 + value.lowerBound
        return start..<start + word.count
    }

    private static let word = Array("public".utf8)
}

extension HTTP2Fields {
    /// The fields of a response.
    ///
    /// - Parameter length: Of the body; `nil` if it is unknown, or there must be none.
    init(_ response: borrowing HTTPResponse, length: Int?) {
        self.init()
        append(":status", "\(response.status.code)")
        append(contentsOf: response.fields)
        if let length { append("content-length", "\(length)") }
    }
}

extension HTTPResponse {
    /// The same response for a single reader: marked `private` so that shared caches do not store
    /// it (RFC 9111 §5.2.2.7).
    public func madePrivate() -> HTTPResponse {
        guard let directives = fields[.cacheControl], directives.hasPrefix("public") else {
            return self
        }
        var response = self
        response.fields[.cacheControl] = "private" + directives.dropFirst("public".count)
        return response
    }
}

/// The gzip content coding (RFC 1952) for responses that get smaller by it.
enum Gzip {
    /// Compressing less than this costs more than it saves.
    static let smallestBytes = 1_024
    /// zlib's default compromise between speed and size.
    private static let level: Int32 = 6

    /// Returns true if the response is worth compressing: bytes of a compressible type, more than 1
    /// KiB.
    static func isWorthwhile(_ response: HTTPResponse) -> Bool {
        guard case .bytes(let bytes) = response.body, bytes.count > smallestBytes,
            response.status == .ok, !response.fields.contains(.contentEncoding),
            let type = response.fields[.contentType].flatMap({ MediaType($0) })
        else { return false }
        return type.type == "text" || type.subtype == "json" || type.subtype == "xml"
            || type.subtype.hasSuffix("+json") || type.subtype.hasSuffix("+xml")
    }

    /// The response in this coding with its own validator; `nil` if it is not smaller. This takes
    /// time, so it must not run on an event loop.
    static func encode(_ response: HTTPResponse) -> HTTPResponse? {
        guard case .bytes(let bytes) = response.body, let body = compress(bytes) else {
            return nil
        }
        var response = response
        response.body = .bytes(body)
        response.fields.append(.contentEncoding, "gzip")
        // Two codings must not share a validator (RFC 9110 §8.8.3.3).
        response.fields[.etag] =
            response.fields[.etag].flatMap { EntityTag($0) }
            .flatMap { EntityTag(value: $0.value + "-gzip", isWeak: $0.isWeak) }?.description
        return response
    }

    /// `nil` if the result would not be smaller, or memory is exhausted.
    private static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        let compressed = [UInt8](unsafeUninitializedCapacity: bytes.count) { room, count in
            count = bytes.withUnsafeBufferPointer { bytes in
                Int(czlib_gzip(room.baseAddress, room.count, bytes.baseAddress, bytes.count, level))
            }
        }
        // A copy of the exact size: it is kept for long, and the buffer was much larger.
        return compressed.isEmpty ? nil : Array(compressed[...])
    }
}
