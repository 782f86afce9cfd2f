public import HTTP

/// Something that responses depend on (a surrogate key): when it changes, they are invalidated.
///
/// The cache does not interpret tags. If two things share a tag, responses are invalidated more
/// often than necessary, but never too rarely.
public struct CacheTag: Sendable, Hashable {
    private let kind: UInt8
    private let high: UInt64
    private let low: UInt64

    /// - Parameters:
    ///   - kind: Distinguishes things that may have the same number.
    ///   - high: The upper half of the number.
    ///   - low: The lower half of the number.
    public init(kind: UInt8, high: UInt64 = 0, low: UInt64 = 0) {
        self.kind = kind
        self.high = high
        self.low = low
    }
}

/// A handler's response to a request that does not depend on its sender.
public enum CacheableResponse: Sendable {
    /// Only for this request; mostly errors.
    case once(HTTPResponse)
    /// For every such request until a tag is invalidated or the response expires (milliseconds
    /// since 1970; `nil`: never). It must be a complete 200 with bytes: the cache handles
    /// conditions and content codings.
    case lasting(HTTPResponse, dependencies: [CacheTag], until: Int64?)
}
