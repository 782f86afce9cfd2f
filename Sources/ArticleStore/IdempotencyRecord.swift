public import ArticleAPI

/// The name of a write that is to be done once, however often it is sent: what its writer was
/// answered is kept for 24 hours, in the same transaction.
public struct IdempotencyKey: Sendable {
    /// 32 bytes that stand for principal, method, path and key.
    public var scope: [UInt8]
    /// 32 bytes that stand for all that is asked.
    public var request: [UInt8]
    /// Whose limit it counts towards.
    public var principal: String
    /// What to keep of what was written at a time. An article's body need not be in it: it is kept
    /// by reference.
    public var item: @Sendable (WrittenItem, Timestamp) -> [UInt8]

    public init(
        scope: [UInt8], request: [UInt8], principal: String,
        item: @escaping @Sendable (WrittenItem, Timestamp) -> [UInt8]
    ) {
        self.scope = scope
        self.request = request
        self.principal = principal
        self.item = item
    }

    package static let keptMilliseconds: Int64 = 24 * 60 * 60 * 1_000
}

/// What a write made or changed.
public enum WrittenItem: Sendable, Hashable {
    case article(Article, isNew: Bool)
    case author(Author, isNew: Bool)
    case nothing

    package var isNew: Bool {
        switch self {
        case .article(_, let isNew), .author(_, let isNew): isNew
        case .nothing: false
        }
    }
}

/// What became of a write that was sent before.
public struct IdempotencyRecord: Sendable, Hashable {
    /// As in its `IdempotencyKey`.
    public var request: [UInt8]
    public var outcome: Outcome

    public enum Outcome: Sendable, Hashable {
        /// It was done: what its key made of the item, and the article's body as it was then.
        case done(item: [UInt8], isNew: Bool, body: String?)
        /// It was rejected, with these words.
        case rejected([UInt8])
    }

    public init(request: [UInt8], outcome: Outcome) {
        self.request = request
        self.outcome = outcome
    }
}
