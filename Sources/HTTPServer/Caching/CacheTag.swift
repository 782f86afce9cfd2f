public import HTTP

/// Something that answers are made of: when it changes, cached answers that depend on it go.
///
/// The cache does not know what it stands for. Two things of one name cost an answer more than it
/// needs, and are never wrong.
public struct CacheTag: Sendable, Hashable {
    private let kind: UInt8
    private let high: UInt64
    private let low: UInt64

    /// - Parameters:
    ///   - kind: keeps things apart that may have the same number.
    ///   - high: the upper half of its number.
    ///   - low: the lower half of its number.
    public init(kind: UInt8, high: UInt64 = 0, low: UInt64 = 0) {
        self.kind = kind
        self.high = high
        self.low = low
    }
}

/// What a handler makes for a request that anyone could have sent.
public enum CacheableResponse: Sendable {
    /// For this request alone: errors, mostly.
    case once(HTTPResponse)
    /// For every such request, until a dependency changes or the time comes (milliseconds since
    /// 1970; `nil`: never). A whole 200 of bytes: conditions and codings are the cache's work.
    case lasting(HTTPResponse, dependencies: [CacheTag], until: Int64?)
}
