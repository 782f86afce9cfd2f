public import ArticleAPI

/// Stores the outcomes of idempotent writes: of successful ones with the write itself (`Edit.key`).
///
/// So a write and its outcome are committed together, or neither is. Safe to use from any thread.
///
/// ```swift
/// let record = try await store.idempotencyRecord(key.scope, at: time)
/// let isRepetition = record?.request == key.request
/// ```
public protocol IdempotencyRepository: Sendable {
    /// The outcome of the write with this scope (`IdempotencyKey`) in the preceding 24 hours; `nil`
    /// if there was none.
    func idempotencyRecord(
        _ scope: [UInt8], at time: Timestamp
    ) async throws(StoreError) -> IdempotencyRecord?

    /// Stores the response of a rejected write, which changed nothing. Only the last thousand of
    /// each principal are kept.
    func keepRejection(
        _ words: [UInt8], of key: IdempotencyKey, at time: Timestamp
    ) async throws(StoreError)

    /// Removes outcomes that are older than 24 hours; returns their number, at most 1,000.
    func removeExpiredOutcomes(at time: Timestamp) async throws(StoreError) -> Int
}

/// Identifies a write that is executed at most once, however often it is sent: its response is
/// stored for 24 hours, in the same transaction.
///
/// The closure runs on the thread that writes, and must be quick.
///
/// ```swift
/// let key = IdempotencyKey(scope: scope, request: request, principal: "ada") { item in
///     if case .article(let article, _) = item { article.json() } else { [] }
/// }
/// let edit = Edit(at: time, by: .key(id: "editor"), key: key)
/// ```
public struct IdempotencyKey: Sendable {
    /// A 32-byte digest of principal, method, path and key.
    public var scope: [UInt8]
    /// A 32-byte digest of the whole request.
    public var request: [UInt8]
    /// The principal whose limit it counts towards.
    public var principal: String
    /// Encodes the written item for storage. The body of an article or a comment has to be omitted:
    /// it is stored separately, and that of a comment is removed with the comment.
    public var item: @Sendable (WrittenItem) -> [UInt8]

    public init(
        scope: [UInt8], request: [UInt8], principal: String,
        item: @escaping @Sendable (WrittenItem) -> [UInt8]
    ) {
        self.scope = scope
        self.request = request
        self.principal = principal
        self.item = item
    }

    package static let keptMilliseconds: Int64 = 24 * 60 * 60 * 1_000
}

/// The item that a write created or changed. See ``IdempotencyKey``.
public enum WrittenItem: Sendable, Hashable {
    case article(Article, isNew: Bool)
    case author(Author, isNew: Bool)
    case comment(ArticleComment, isNew: Bool)
    case source(ContentSource, isNew: Bool)
    case nothing

    package var isNew: Bool {
        switch self {
        case .article(_, let isNew), .author(_, let isNew), .comment(_, let isNew),
            .source(_, let isNew):
            isNew
        case .nothing: false
        }
    }
}

/// The outcome of a write that was sent before. See ``IdempotencyRepository``.
public struct IdempotencyRecord: Sendable, Hashable {
    /// As in its `IdempotencyKey`.
    public var request: [UInt8]
    public var outcome: Outcome

    public enum Outcome: Sendable, Hashable {
        /// It succeeded: the item as encoded by its key, and the body of the article or comment as
        /// of then; `nil` for other items, and if the comment was deleted since.
        case done(item: [UInt8], isNew: Bool, body: String?)
        /// It was rejected with this response.
        case rejected([UInt8])
    }

    public init(request: [UInt8], outcome: Outcome) {
        self.request = request
        self.outcome = outcome
    }
}
