import ArticleAPI
import ArticleStore

/// Tags, authors, facets and the epoch that were looked up already: the articles of a page share
/// theirs, and so do reads of a connection between which nothing was committed, and steps of the
/// writer.
///
/// The writer alone changes what they are of: it forgets all of them when it undoes anything.
final class Names {
    private var authors: [Int64: NamedAuthor] = [:]
    private var tags: [Int64: Tag] = [:]
    private var facets: [Facet: Int64] = [:]
    private var authorsByName: [String: Int64] = [:]
    private var epoch: Epoch?
    /// The state of the database that they are of (`PRAGMA data_version`); `nil` before the first.
    private var version: Int64?
    private static let limit = 4_096

    private struct Facet: Hashable {
        let kind: FacetKind
        let key: String
    }

    struct NamedAuthor {
        let reference: Author.Reference
        let updatedAt: Timestamp
    }

    /// Forgets everything that is of another state.
    func move(to version: Int64) {
        guard version != self.version else { return }
        self.version = version
        forget()
    }

    /// Forgets everything: what was looked up may have been undone.
    func forget() {
        forgetAuthors()
        tags.removeAll(keepingCapacity: true)
        facets.removeAll(keepingCapacity: true)
        epoch = nil
    }

    /// Forgets the authors: one of them has changed, or there is a new one.
    func forgetAuthors() {
        authors.removeAll(keepingCapacity: true)
        authorsByName.removeAll(keepingCapacity: true)
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

    /// The number of the oldest author of this name; none is not remembered.
    func author(
        named name: String, else read: () throws(StoreError) -> Int64?
    ) throws(StoreError) -> Int64? {
        if let number = authorsByName[name] { return number }
        guard let number = try read() else { return nil }
        if authorsByName.count >= Self.limit { authorsByName.removeAll(keepingCapacity: true) }
        authorsByName[name] = number
        return number
    }

    /// The number of a facet, which never changes.
    func facet(
        _ kind: FacetKind, _ key: String, else read: () throws(StoreError) -> Int64
    ) throws(StoreError) -> Int64 {
        let facet = Facet(kind: kind, key: key)
        if let number = facets[facet] { return number }
        let number = try read()
        if facets.count >= Self.limit { facets.removeAll(keepingCapacity: true) }
        facets[facet] = number
        return number
    }
}
