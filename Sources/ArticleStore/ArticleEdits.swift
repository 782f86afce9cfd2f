public import ArticleAPI
public import ArticleAdminAPI

/// Time and actor of an edit, for its revision, and the key by which it is done only once.
///
/// The store has no clock: a revision has the time of its edit.
///
/// ```swift
/// let edit = Edit(at: time, by: .key(id: "editor"))
/// let article = try await store.createArticle(id, content, by: edit)
/// ```
public struct Edit: Sendable {
    public var time: Timestamp
    public var actor: Actor
    /// A write with a key is done once: the caller checks `idempotencyRecord` before. If another
    /// write with the key was committed in between, `.repeated` or `.keyReused` is thrown.
    public var key: IdempotencyKey?
    /// The audience of the editor, which decides the articles that the edit may change: editors
    /// write everything, authors the articles that they own, and everyone else nothing.
    ///
    /// It is compared with the owner in the transaction of the write. An article that is hidden
    /// from the audience throws `.notFound`, and one that it may only read `.notOwner`.
    public var audience: Audience

    public init(
        at time: Timestamp, by actor: Actor, key: IdempotencyKey? = nil,
        as audience: Audience = .editors
    ) {
        self.time = time
        self.actor = actor
        self.key = key
        self.audience = audience
    }

    /// The account or part of the server that makes an edit. Its name is looked up when the history
    /// is read.
    public enum Actor: Sendable, Hashable {
        /// The operator of the server: imports, commands on the machine, the operator's key.
        case `operator`
        /// The server itself: the publication of scheduled articles.
        case system
        /// The source with this id, and its name.
        case source(id: ContentSource.ID, name: String)
        /// The API key with this public id.
        case key(id: String)
        /// The user with this id, in person or by a key.
        case user(UserRecord.ID)
        /// An actor that cannot be looked up.
        case unrecorded(name: String?)
    }
}

/// The state that a write expects (`If-Match`, `If-None-Match: *`).
///
/// It is checked in the transaction of the write, so no other write comes in between.
///
/// ```swift
/// let seen = Precondition.versions([article.version ?? ""])
/// try await store.deleteArticle(article.id, expecting: seen, by: edit)
/// ```
public enum Precondition: Sendable, Hashable {
    case anything
    /// It exists, at any revision.
    case existing
    /// It exists, at one of these versions (`Epoch`); otherwise `.preconditionFailed`.
    case versions(Set<String>)
    /// It does not exist yet.
    case nothing
}

/// Identifies the history of a database: 16 random bytes.
///
/// Revisions and changes are numbered, and different histories use the same numbers. So a database
/// gets a new epoch whenever its history may differ from the one that clients know: a new file, a
/// restored backup, an imported export.
///
/// ```swift
/// let epoch = Epoch(high: high, low: low)
/// let version = epoch.version(of: id, revision: 7, at: time)
/// ```
public struct Epoch: Sendable, Hashable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The number of characters in a version after the revision and the dash.
    public static let markLength = 6

    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// Returns the version of this revision of the subject in this history: `7-x1y2z3`. The same
    /// revision in another history, or one made at another time after the database was set back,
    /// has the same version with a probability of 2^-30.
    ///
    /// - Parameters:
    ///   - time: The time at which the revision was made.
    ///   - state: A number that tells otherwise equal revisions apart.
    public func version<Subject>(
        of id: Identifier<Subject>, revision: Int, at time: Timestamp, state: Int64 = 0
    ) -> String {
        let timed = Self.mixed(hash(of: id) ^ UInt64(bitPattern: time.milliseconds))
        return Self.version(revision, Self.mixed(timed ^ UInt64(bitPattern: state)))
    }

    /// The version of this revision as programs gave it that did not consider its time.
    package func formerVersion<Subject>(of id: Identifier<Subject>, revision: Int) -> String {
        Self.version(revision, hash(of: id))
    }

    private func hash<Subject>(of id: Identifier<Subject>) -> UInt64 {
        let own = Self.mixed(Self.mixed(high) ^ low)
        return Self.mixed(Self.mixed(own ^ id.high) ^ id.low)
    }

    /// - Parameter hash: of all but the revision.
    private static func version(_ revision: Int, _ hash: UInt64) -> String {
        let mark = mixed(hash ^ UInt64(bitPattern: Int64(revision)))
        // Invariant: the revision has `length` digits, and `rest` is what precedes the last ones.
        var (rest, length) = (revision.magnitude, 1)
        while rest > 9 { (rest, length) = (rest / 10, length + 1) }
        // Mostly short enough to need no memory of its own.
        return String(unsafeUninitializedCapacity: length + 1 + markLength) { text in
            var rest = revision.magnitude
            for place in (0..<length).reversed() {
                text[place] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
            text[length] = UInt8(ascii: "-")
            for place in 0..<markLength {
                text[length + 1 + place] = digits[Int(mark >> UInt64(59 - 5 * place)) & 31]
            }
            return length + 1 + markLength
        }
    }

    /// Mixes all bits (the finalizer of SplitMix64). This is not a secret: it prevents accidental
    /// collisions, not attacks.
    private static func mixed(_ word: UInt64) -> UInt64 {
        var word = word &+ 0x9E37_79B9_7F4A_7C15
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}

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

/// Identifies a write that is executed at most once, however often it is sent: its result is stored
/// for 24 hours, in the same transaction.
///
/// ```swift
/// let key = IdempotencyKey(scope: scope, request: request, principal: "ada")
/// let edit = Edit(at: time, by: .key(id: "editor"), key: key)
/// ```
public struct IdempotencyKey: Sendable, Hashable {
    /// A 32-byte digest of principal, method, path and key.
    public var scope: [UInt8]
    /// A 32-byte digest of the whole request.
    public var request: [UInt8]
    /// The principal whose limit it counts towards.
    public var principal: String

    public init(scope: [UInt8], request: [UInt8], principal: String) {
        self.scope = scope
        self.request = request
        self.principal = principal
    }

    package static let keptMilliseconds: Int64 = 24 * 60 * 60 * 1_000
}

/// The result of a write, to be stored with its key.
package enum WrittenItem: Sendable {
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

    /// The item as JSON, without the body of an article or a comment: it is stored separately, and
    /// that of a comment is removed with the comment.
    package var json: [UInt8] {
        switch self {
        case .article(var article, _):
            article.body = nil
            return article.json()
        case .author(let author, _): return author.json()
        case .comment(var comment, _):
            comment.body = ""
            return comment.json()
        case .source(let source, _): return source.json()
        case .nothing: return []
        }
    }
}

/// The outcome of a write that was sent before. See ``IdempotencyRepository``.
public struct IdempotencyRecord: Sendable, Hashable {
    /// As in its `IdempotencyKey`.
    public var request: [UInt8]
    public var outcome: Outcome

    public enum Outcome: Sendable, Hashable {
        /// It succeeded: the item as JSON, and the body of the article or comment as
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
