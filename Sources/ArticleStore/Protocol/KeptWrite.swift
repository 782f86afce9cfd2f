public import ArticleAPI

/// The name of a write that is to be done once, however often it is sent: its result is kept for 24
/// hours, in the same transaction.
public struct WriteKey: Sendable {
    /// 32 bytes that stand for caller, method, path and key.
    public var scope: [UInt8]
    /// 32 bytes that stand for all that is asked.
    public var request: [UInt8]
    /// What to keep of a refusal, at most 4 KiB; `nil` if the write may be tried again.
    public var refusal: @Sendable (StoreError) -> [UInt8]?

    public init(
        scope: [UInt8], request: [UInt8], refusal: @escaping @Sendable (StoreError) -> [UInt8]?
    ) {
        self.scope = scope
        self.request = request
        self.refusal = refusal
    }

    static let keptMilliseconds: Int64 = 24 * 60 * 60 * 1_000
    static let refusalBytes = 4_096
}

/// What became of a write that was sent before.
public enum KeptWrite: Sendable, Hashable {
    case changed
    /// Something new; of an article, its id.
    case made(Article.ID?)
    case refused([UInt8])
}
