/// A subject that articles share: compared by its case-folded key, shown by its display name.
public struct Tag: Sendable, Hashable, Identifiable {
    /// Case-folded, NFC, 1 to 64 characters.
    public var key: String
    /// As it was first written.
    public var name: String

    /// The key, which distinguishes tags.
    public var id: String { key }

    public init(key: String, name: String) {
        self.key = key
        self.name = name
    }

    /// A tag with the number of articles that the caller can see under it.
    public struct Usage: Sendable, Hashable, Identifiable {
        public var tag: Tag
        public var articleCount: Int
        /// The tag's key.
        public var id: String { tag.key }

        public init(tag: Tag, articleCount: Int) {
            self.tag = tag
            self.articleCount = articleCount
        }
    }
}
