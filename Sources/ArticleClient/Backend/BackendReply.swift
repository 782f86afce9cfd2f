public import HTTP

/// An item with metadata of the response from which it was decoded.
public struct BackendReply<Item: Sendable>: Sendable {
    /// Where the response came from.
    public enum Source: Sendable, Hashable {
        /// The backend sent it.
        case network
        /// The backend confirmed that the cached copy is current (304).
        case revalidated
        /// The cached copy was used; the backend was not asked or could not be reached.
        case cached
    }

    public let item: Item
    public let source: Source
    /// How long ago the backend sent or confirmed the response.
    public let age: Duration
    public let status: HTTPStatus
    public let fields: HTTPFields

    /// The entity tag, which a later write can use as its precondition (`If-Match`).
    public var etag: EntityTag? { fields[.etag].flatMap { EntityTag($0) } }
}

extension BackendReply: Equatable where Item: Equatable {}

/// A response before it is decoded.
struct Answer: Sendable {
    let status: HTTPStatus
    let fields: HTTPFields
    let bytes: [UInt8]
    var isRevalidated = false
    var isCached = false
    var age = Duration.zero

    init(_ response: HTTPResponse) {
        status = response.status
        fields = response.fields
        if case .bytes(let bytes) = response.body { self.bytes = bytes } else { bytes = [] }
        age = CacheControl.age(fields)
    }

    init(_ copy: CachedResponse, isRevalidated: Bool, now: Duration) {
        status = .ok
        fields = copy.fields
        bytes = copy.bytes
        self.isRevalidated = isRevalidated
        isCached = !isRevalidated
        age = copy.age(now: now)
    }

    func reply<Item>(_ item: Item) -> BackendReply<Item> {
        BackendReply(
            item: item, source: isCached ? .cached : isRevalidated ? .revalidated : .network,
            age: age, status: status, fields: fields)
    }
}
