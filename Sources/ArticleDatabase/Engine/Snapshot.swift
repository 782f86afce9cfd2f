import ArticleAPI
import ArticleAdminAPI
import ArticleStore
import BroadsheetPlatform

/// A read transaction: all results are from the same committed state.
struct Snapshot {
    let connection: Connection
    let limits: StoreLimits
    let names: RowCache
    /// The articles read ahead; `nil` if reading ahead is of no use.
    let ahead: ReadAhead?

    /// - Parameters:
    ///   - connection: a connection in a transaction that outlives the snapshot.
    ///   - limits: the limits of reads.
    ///   - names: a cache of names for the same state.
    ///   - ahead: the storage of values read ahead, in a transaction that writes nothing.
    init(
        _ connection: Connection, _ limits: StoreLimits, names: RowCache = RowCache(),
        ahead: ReadAhead? = nil
    ) {
        self.connection = connection
        self.limits = limits
        self.names = names
        self.ahead = ahead
    }

    func tag(_ number: Int64) throws(StoreError) -> ArticleTag {
        try names.tags.value(number) { () throws(StoreError) in
            let row = try connection.statement(SQL.tagByNumber)
            try row.bind(1, number)
            guard try row.step() else { throw .corrupt("tag \(number) is missing") }
            return ArticleTag(key: row.text(0), name: row.text(1))
        }
    }

    func author(number: Int64) throws(StoreError) -> RowCache.NamedAuthor {
        try names.authors.value(number) { () throws(StoreError) in
            let row = try connection.statement(SQL.authorReference)
            try row.bind(1, number)
            guard try row.step() else { throw .corrupt("author \(number) is missing") }
            return try RowCache.NamedAuthor(row)
        }
    }

    /// The epoch of the database.
    func epoch() throws(StoreError) -> Epoch {
        if let epoch = names.epoch { return epoch }
        let row = try connection.statement(SQL.epoch)
        guard try row.step(), let epoch = Epoch(row) else {
            throw .corrupt("the epoch is missing")
        }
        names.epoch = epoch
        return epoch
    }
}

/// Keeps values that one read reads ahead. Only the aggregate that does so knows their type.
final class ReadAhead {
    private var kept: AnyObject?

    /// Returns the kept value, which is at first the one made here.
    func kept<Kept: AnyObject>(else make: () -> Kept) -> Kept {
        if let kept = kept as? Kept { return kept }
        let made = make()
        kept = made
        return made
    }
}

extension SQL {
    fileprivate static let tagByNumber: StaticString =
        "SELECT key, name FROM facets WHERE number = ?1"
    fileprivate static let authorReference: StaticString = """
        SELECT id, name, updated_at, revision FROM authors WHERE number = ?1
        """
    // Only PostgreSQL has arrays.
    fileprivate static let tagsByNumber: StaticString =
        "SELECT key, name, number FROM facets WHERE number = ANY(?1)"
    fileprivate static let authorReferences: StaticString = """
        SELECT id, name, updated_at, revision, number FROM authors WHERE number = ANY(?1)
        """
    fileprivate static let epoch: StaticString = "SELECT value FROM epoch"
    fileprivate static let takeEpoch: StaticString =
        "INSERT INTO epoch (number, value) VALUES (1, ?1) ON CONFLICT (number) DO NOTHING"
    fileprivate static let renewEpoch: StaticString = "UPDATE epoch SET value = ?1"
    static let dropEpoch: StaticString = "DELETE FROM epoch"
}

extension Connection {
    /// Begins a history, unless there is one.
    func takeEpoch(_ epoch: Epoch) throws(StoreError) { try set(epoch, SQL.takeEpoch) }

    /// Begins another history.
    func renewEpoch(to epoch: Epoch) throws(StoreError) {
        try set(epoch, SQL.renewEpoch)
        effects.beginsHistory = true
        names.forget()
    }

    /// Begins another history, unless that has been done since this epoch.
    func renewEpoch(to new: Epoch, replacing epoch: Epoch) throws(StoreError) {
        let row = try statement(SQL.epoch)
        guard try row.step(), Epoch(row) == epoch else { return }
        try renewEpoch(to: new)
    }

    private func set(_ epoch: Epoch, _ sql: StaticString) throws(StoreError) {
        let row = try statement(sql)
        try row.bind(1, epoch.bytes)
        try row.run()
    }
}

extension SystemEnvironment {
    /// The epoch of a new history.
    func newEpoch() -> Epoch { Epoch(high: random(), low: random()) }
}

extension Epoch {
    /// As stored.
    var bytes: [UInt8] {
        [high, low].flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }

    /// Reads the column of `SQL.epoch`.
    init?(_ row: borrowing Statement) {
        let bytes = row.bytes(0)
        guard bytes.count == 16 else { return nil }
        let words = [bytes[..<8], bytes[8...]].map { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        self.init(high: words[0], low: words[1])
    }
}

/// Caches tags, authors, actors, facets and the epoch. They are shared by the articles of a page,
/// by the reads of a connection between which nothing was committed, and by steps of the writer.
///
/// Only the writer changes the cached data; it clears the cache when it rolls back anything.
final class RowCache {
    var authors = Entries<Int64, NamedAuthor>()
    var tags = Entries<Int64, ArticleTag>()
    /// The numbers of facets, which never change.
    var facets = Entries<Facet, Int64>()
    /// The numbers of the oldest authors with these names.
    var authorsByName = Entries<String, Int64>()
    var actors = Entries<Int64, Revision.Actor>()
    /// The numbers of actors, which never change.
    var actorNumbers = Entries<ActorID, Int64>()
    var epoch: Epoch?
    /// The state of the database to which the cache belongs; `nil` initially.
    private var version: Int64?

    /// A limited number of values; all are removed when there are too many.
    struct Entries<Key: Hashable, Value> {
        private var values: [Key: Value] = [:]
        private static var limit: Int { 4_096 }

        subscript(key: Key) -> Value? {
            get { values[key] }
            set {
                if values.count >= Self.limit { removeAll() }
                values[key] = newValue
            }
        }

        /// The value, which is read if it is not there.
        mutating func value(
            _ key: Key, else read: () throws(StoreError) -> Value
        ) throws(StoreError) -> Value {
            if let value = values[key] { return value }
            let value = try read()
            self[key] = value
            return value
        }

        mutating func removeAll() { values.removeAll(keepingCapacity: true) }
    }

    struct Facet: Hashable {
        let kind: FacetKind
        let key: String
    }

    struct ActorID: Hashable {
        let kind: ActorKind
        let id: String
    }

    struct NamedAuthor {
        let reference: Author.Reference
        let updatedAt: Timestamp

        /// Reads the columns of `SQL.authorReference`.
        init(_ row: borrowing Statement) throws(StoreError) {
            reference = Author.Reference(
                id: try row.identifier(0), name: row.text(1), revision: Int(row.integer(3)))
            updatedAt = row.time(2)
        }
    }

    /// Clears the cache if it belongs to a different state.
    func move(to version: Int64) {
        guard version != self.version else { return }
        self.version = version
        forget()
    }

    /// Keeps the cache, as the state that follows is due to its own connection.
    func advance(to version: Int64) { self.version = version }

    /// Clears the cache, as its contents may have been rolled back.
    func forget() {
        forgetAuthors()
        forgetActors()
        tags.removeAll()
        facets.removeAll()
        epoch = nil
    }

    /// Clears the authors, because one was changed or added.
    func forgetAuthors() {
        authors.removeAll()
        authorsByName.removeAll()
    }

    /// Clears the actors, because a name was added.
    func forgetActors() {
        actors.removeAll()
        actorNumbers.removeAll()
    }

    /// Reads those of the tags and authors that are not cached, with one statement each.
    func readAhead(
        tags wantedTags: Set<Int64>, authors wantedAuthors: Set<Int64>, on connection: Connection
    ) throws(StoreError) {
        let missingTags = wantedTags.filter { tags[$0] == nil }
        if !missingTags.isEmpty {
            let row = try connection.statement(SQL.tagsByNumber)
            try row.bind(1, numbers: Array(missingTags))
            while try row.step() {
                tags[row.integer(2)] = ArticleTag(key: row.text(0), name: row.text(1))
            }
        }
        let missingAuthors = wantedAuthors.filter { authors[$0] == nil }
        if !missingAuthors.isEmpty {
            let row = try connection.statement(SQL.authorReferences)
            try row.bind(1, numbers: Array(missingAuthors))
            while try row.step() { authors[row.integer(4)] = try NamedAuthor(row) }
        }
    }
}

/// The kinds of actors in `actors`.
enum ActorKind: Int64 {
    case `operator`, key, user, system, source
}

/// The kinds of facets under which articles are listed.
enum FacetKind: Int64 {
    case all, tag, author, language, source
}

/// A revision of a subject that clients may change, with the values that tell it from a revision of
/// the same number that was lost when the database was set back.
struct VersionedRevision<Subject> {
    let id: Identifier<Subject>
    let revision: Int
    /// The time of the revision.
    let time: Timestamp
    /// The part of the state that may change without a time.
    var state: Int64 = 0
    /// The subject of its changes; `nil` if they have no numbers.
    let subject: (kind: SubjectKind, number: Int64)?
}

extension SQL {
    fileprivate static let lastMarkOfSubject: StaticString = """
        SELECT mark FROM changes WHERE kind = ?1 AND subject = ?2 ORDER BY sequence DESC LIMIT 1
        """
}

extension Snapshot {
    /// The text by which clients name the revision.
    func text<Subject>(of version: VersionedRevision<Subject>) throws(StoreError) -> String {
        try epoch().version(
            of: version.id, revision: version.revision, at: version.time, state: version.state)
    }

    /// Returns true if one of the texts names the revision, in the present form or in the one of
    /// the program that made it.
    func isNamed<Subject>(
        _ version: VersionedRevision<Subject>, by texts: Set<String>
    ) throws(StoreError) -> Bool {
        if texts.contains(try text(of: version)) { return true }
        guard let subject = version.subject,
            texts.contains(try epoch().formerVersion(of: version.id, revision: version.revision))
        else { return false }
        // Clients may still edit articles that they fetched before the program was replaced.
        let row = try connection.statement(SQL.lastMarkOfSubject)
        try row.bind(1, subject.kind.rawValue)
        try row.bind(2, subject.number)
        return try row.step() && row.isNull(0)
    }
}

extension Precondition {
    /// Compares the current revision (`nil` if there is none) with the expected state.
    func check<Subject>(
        _ current: VersionedRevision<Subject>?, in state: Snapshot
    ) throws(StoreError) {
        let holds =
            switch self {
            case .anything: true
            case .existing: current != nil
            case .nothing: current == nil
            case .versions(let texts):
                if let current { try state.isNamed(current, by: texts) } else { false }
            }
        guard holds else { throw .preconditionFailed(current: current?.revision) }
    }
}
