import ArticleAPI
import ArticleStore

extension Snapshot {
    /// Tags with counts. The public count of a tag excludes scheduled articles, which are adjacent
    /// in the index; each of them counts as examined.
    func tags(
        after key: String?, limit: Int, visibleTo audience: Audience
    ) throws(StoreError) -> Slice<Tag.Usage, String> {
        let limit = min(max(limit, 1), 100)
        let row = try connection.statement(SQL.tagsAfter)
        try row.bind(1, key ?? "")
        var page = Slice<Tag.Usage, String>(items: [], next: nil)
        var examined: Int64 = 0
        var frontier = key
        while try row.step() {
            guard examined < configuration.examinedRowsPerPage else {
                page.next = frontier
                return page
            }
            examined += 1
            let tag = Tag(key: row.text(1), name: row.text(2))
            var count = row.integer(3)
            if case .everyone(let now) = audience {
                count = row.integer(4)
                if count > 0 {
                    let scheduled = try scheduledCount(under: row.integer(0), after: now)
                    count -= scheduled
                    examined += 1 + scheduled
                }
            }
            if count > 0 {
                guard page.items.count < limit else {
                    page.next = page.items.last?.tag.key
                    return page
                }
                page.items.append(Tag.Usage(tag: tag, articleCount: Int(count)))
            }
            frontier = tag.key
        }
        return page
    }

    func authors(
        after id: Author.ID?, limit: Int, visibleTo audience: Audience
    ) throws(StoreError) -> Slice<Author, Author.ID> {
        let limit = min(max(limit, 1), 100)
        let row = try connection.statement(SQL.authorsAfter)
        if let id { try row.bind(1, id) } else { try row.bind(1, [UInt8]()) }
        var page = Slice<Author, Author.ID>(items: [], next: nil)
        var examined = 0
        var frontier = id
        while try row.step() {
            guard examined < configuration.examinedRowsPerPage else {
                page.next = frontier
                return page
            }
            examined += 2
            let author = try Author(row)
            if try isVisible(row.integer(0), to: audience) {
                guard page.items.count < limit else {
                    page.next = page.items.last?.id
                    return page
                }
                page.items.append(try versioned(author))
            }
            frontier = author.id
        }
        return page
    }

    func author(
        _ id: Author.ID, visibleTo audience: Audience
    ) throws(StoreError) -> Author {
        guard let found = try author(id), try isVisible(found.number, to: audience) else {
            throw .notFound
        }
        return try versioned(found.author)
    }

    /// The author with its version, as callers see it.
    func versioned(_ author: Author) throws(StoreError) -> Author {
        var author = author
        author.version = try epoch().version(of: author.id, revision: author.revision)
        return author
    }

    /// The author without a version, independent of the database's history.
    func author(_ id: Author.ID) throws(StoreError) -> (number: Int64, author: Author)? {
        let row = try connection.statement(SQL.author)
        try row.bind(1, id)
        return try row.step() ? (row.integer(0), Author(row)) : nil
    }

    private func isVisible(_ author: Int64, to audience: Audience) throws(StoreError) -> Bool {
        guard case .everyone(let now) = audience else { return true }
        let row = try connection.statement(SQL.hasPublic)
        try row.bind(1, author)
        try row.bind(2, now)
        return try row.step()
    }

    func nextPublication(after time: Timestamp) throws(StoreError) -> Timestamp? {
        let row = try connection.statement(SQL.nextPublication)
        try row.bind(1, time)
        return try row.step() ? row.time(0) : nil
    }

    private func scheduledCount(
        under facet: Int64, after now: Timestamp
    ) throws(StoreError) -> Int64 {
        let row = try connection.statement(SQL.scheduledCount)
        try row.bind(1, facet)
        try row.bind(2, now)
        return try row.step() ? row.integer(0) : 0
    }
}

extension Author {
    /// Reads the columns of `SQL.author`.
    init(_ row: borrowing Statement) throws(StoreError) {
        self.init(
            id: try row.identifier(1), name: row.text(2), about: row.text(3),
            website: row.optionalText(4), createdAt: row.time(5), updatedAt: row.time(6),
            revision: Int(row.integer(7)))
    }
}

/// Caches tags, authors, actors, facets and the epoch. They are shared by the articles of a page,
/// by the reads of a connection between which nothing was committed, and by steps of the writer.
///
/// Only the writer changes the cached data; it clears the cache when it rolls back anything.
final class Names {
    private var authors: [Int64: NamedAuthor] = [:]
    private var tags: [Int64: Tag] = [:]
    private var facets: [Facet: Int64] = [:]
    private var authorsByName: [String: Int64] = [:]
    private var actors: [Int64: Revision.Actor] = [:]
    private var actorNumbers: [ActorID: Int64] = [:]
    private var epoch: Epoch?
    /// The state of the database to which the cache belongs (`PRAGMA data_version`); `nil`
    /// initially.
    private var version: Int64?
    private static let limit = 4_096

    private struct Facet: Hashable {
        let kind: FacetKind
        let key: String
    }

    private struct ActorID: Hashable {
        let kind: ActorKind
        let id: String
    }

    struct NamedAuthor {
        let reference: Author.Reference
        let updatedAt: Timestamp
    }

    /// Clears the cache if it belongs to a different state.
    func move(to version: Int64) {
        guard version != self.version else { return }
        self.version = version
        forget()
    }

    /// Clears the cache, as its contents may have been rolled back.
    func forget() {
        forgetAuthors()
        forgetActors()
        tags.removeAll(keepingCapacity: true)
        facets.removeAll(keepingCapacity: true)
        epoch = nil
    }

    /// Clears the authors, because one was changed or added.
    func forgetAuthors() {
        authors.removeAll(keepingCapacity: true)
        authorsByName.removeAll(keepingCapacity: true)
    }

    /// Clears the actors, because a name was added.
    func forgetActors() {
        actors.removeAll(keepingCapacity: true)
        actorNumbers.removeAll(keepingCapacity: true)
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

    /// The number of the oldest author with this name; a missing one is not cached.
    func author(
        named name: String, else read: () throws(StoreError) -> Int64?
    ) throws(StoreError) -> Int64? {
        if let number = authorsByName[name] { return number }
        guard let number = try read() else { return nil }
        if authorsByName.count >= Self.limit { authorsByName.removeAll(keepingCapacity: true) }
        authorsByName[name] = number
        return number
    }

    func actor(
        _ number: Int64, else read: () throws(StoreError) -> Revision.Actor
    ) throws(StoreError) -> Revision.Actor {
        if let actor = actors[number] { return actor }
        let actor = try read()
        if actors.count >= Self.limit { actors.removeAll(keepingCapacity: true) }
        actors[number] = actor
        return actor
    }

    /// The number of an actor, which never changes.
    func actor(
        _ kind: ActorKind, _ id: String, else read: () throws(StoreError) -> Int64
    ) throws(StoreError) -> Int64 {
        let actor = ActorID(kind: kind, id: id)
        if let number = actorNumbers[actor] { return number }
        let number = try read()
        if actorNumbers.count >= Self.limit { actorNumbers.removeAll(keepingCapacity: true) }
        actorNumbers[actor] = number
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
