/// Someone who writes articles.
public struct Author: Sendable, Hashable, Identifiable {
    public typealias ID = Identifier<Author>

    public var id: ID
    /// 1 to 200 characters; two authors may share one.
    public var name: String
    /// At most 2,000 characters; empty if none was given.
    public var about: String
    /// An absolute http(s) URL of at most 2,000 bytes.
    public var website: String?
    public var createdAt: Timestamp
    public var updatedAt: Timestamp
    /// 1 for a new author; incremented by each replacement.
    public var revision: Int
    /// Identifies this revision in the backend's history, for `If-Match`: `2-x1y2z3`. Read-only;
    /// `nil` in an author that was not served by a backend.
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

    /// An author in an article's by-line.
    public struct Reference: Sendable, Hashable, Identifiable {
        public var id: ID
        public var name: String

        public init(id: ID, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// An author in a draft: given by id, or by name, which is looked up or creates an author.
    public enum Mention: Sendable, Hashable {
        /// `{"id": …}`; a name in it must be the author's.
        case id(ID, name: String?)
        /// `{"name": …}` or a plain string.
        case name(String)
    }
}
