public import HTTP

/// An item with what is known of the answer that it was made of.
public struct BackendReply<Item: Sendable>: Sendable {
    /// How the answer was come by.
    public enum Source: Sendable, Hashable {
        /// The backend sent it.
        case network
        /// The backend said that the copy still stands.
        case revalidated
        /// From the copy; the backend was not asked, or not reached.
        case cached
    }

    public let item: Item
    public let source: Source
    /// How long ago the backend sent the answer or confirmed it.
    public let age: Duration
    public let status: HTTPStatus
    public let fields: HTTPFields

    /// What a later write can name as the state that it means (`If-Match`).
    public var etag: EntityTag? { fields[.etag].flatMap { EntityTag($0) } }
}

extension BackendReply: Equatable where Item: Equatable {}

/// An answer before an item is made of it.
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
