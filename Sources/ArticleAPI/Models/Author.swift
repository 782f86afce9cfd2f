/// Someone who writes articles.
public struct Author: Sendable, Hashable, Identifiable {
    public typealias ID = Identifier<Author>

    public var id: ID
    /// 1 to 200 characters; two authors may share one.
    public var name: String
    /// At most 2,000 characters; empty when none was given.
    public var about: String
    /// An absolute http(s) URL of at most 2,000 bytes.
    public var website: String?
    public var createdAt: Timestamp
    public var updatedAt: Timestamp
    /// 1 for a new author, one more with each replacement.
    public var revision: Int
    /// Names this revision in the history that the backend keeps: `2-x1y2z3`, for `If-Match`. Read
    /// only; `nil` in an author that no backend served.
    public var version: String?

    public init(
        id: ID, name: String, about: String = "", website: String? = nil,
        createdAt: Timestamp, updatedAt: Timestamp, revision: Int = 1,
        version: String? = nil
    ) {
        self.id = id
        self.name = name
        self.about = about
        self.website = website
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.revision = revision
        self.version = version
    }

    /// An author as an article names them.
    public struct Reference: Sendable, Hashable, Identifiable {
        public var id: ID
        public var name: String

        public init(id: ID, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// An author as a writer of articles names them: by id, or by name (found, or made).
    public enum Mention: Sendable, Hashable {
        /// `{"id": …}`; a name beside it must be the author's.
        case id(ID, name: String?)
        /// `{"name": …}` or a plain string.
        case name(String)
    }
}
