import ArticleAPI

/// Tags, authors and the epoch that were looked up already: the articles of a page share theirs,
/// and so do reads of a connection between which nothing was committed.
final class Names {
    private var authors: [Int64: NamedAuthor] = [:]
    private var tags: [Int64: Tag] = [:]
    private var epoch: Epoch?
    /// The state of the database that they are of (`PRAGMA data_version`); `nil` before the first.
    private var version: Int64?
    private static let limit = 4_096

    struct NamedAuthor {
        let reference: Author.Reference
        let updatedAt: Timestamp
    }

    /// Forgets everything that is of another state.
    func move(to version: Int64) {
        guard version != self.version else { return }
        self.version = version
        authors.removeAll(keepingCapacity: true)
        tags.removeAll(keepingCapacity: true)
        epoch = nil
    }

    func epoch(else read: () throws(StoreError) -> Epoch) throws(StoreError) -> Epoch {
        if let epoch { return epoch }
        let epoch = try read()
        self.epoch = epoch
        return epoch
    }

    func tag(
        _ number: Int64, else read: () throws(StoreError) -> Tag
    ) throws(StoreError) -> Tag {
        if let tag = tags[number] { return tag }
        let tag = try read()
        if tags.count >= Self.limit { tags.removeAll(keepingCapacity: true) }
        tags[number] = tag
        return tag
    }

    func author(
        _ number: Int64, else read: () throws(StoreError) -> NamedAuthor
    ) throws(StoreError) -> NamedAuthor {
        if let author = authors[number] { return author }
        let author = try read()
        if authors.count >= Self.limit { authors.removeAll(keepingCapacity: true) }
        authors[number] = author
        return author
    }
}
