/// An article that a user keeps for later, and the user's progress in reading it.
///
/// ```swift
/// let place = Bookmark.Place(position: 0.4)
/// let bookmark = try await backend.send(PutBookmarkRequest(articleID: id, place: place))
/// ```
public struct Bookmark: Sendable, Hashable, Identifiable {
    public var id: Article.ID { articleID }

    public var articleID: Article.ID
    /// The user's progress in reading: 0 at the beginning, 1 at the end; `nil` if it was not given.
    public var position: Double?
    public var createdAt: Timestamp
    public var updatedAt: Timestamp
    /// Incremented by each change of the user's bookmark of this article.
    public var revision: Int

    public init(
        articleID: Article.ID, position: Double? = nil, createdAt: Timestamp,
        updatedAt: Timestamp, revision: Int = 1
    ) {
        self.articleID = articleID
        self.position = position
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.revision = revision
    }

    /// The settings of a bookmark: the user's progress in reading, if any.
    public struct Place: Sendable, Hashable {
        /// 0 to 1.
        public var position: Double?

        public init(position: Double? = nil) { self.position = position }
    }
}

extension Bookmark: JSONModel {
    public static let shape = ObjectCodec(
        named: "Bookmark", Self.init,
        .required("articleID", \.articleID, .identifier()),
        .optional("position", \.position, .fraction),
        .required("createdAt", \.createdAt, .timestamp),
        .required("updatedAt", \.updatedAt, .timestamp),
        .required("revision", \.revision, .integer(1...Int.max)))
}

extension Bookmark.Place: JSONModel {
    public static let shape = ObjectCodec(
        named: "BookmarkPlace", Self.init(position:), .optional("position", \.position, .fraction))
}
