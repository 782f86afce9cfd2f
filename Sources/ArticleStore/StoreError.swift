public import ArticleAPI

/// The reason why a store operation failed. Nothing was changed in any of these cases.
///
/// ```swift
/// do throws(StoreError) {
///     article = try await store.article(.slug("bread"), visibleTo: .editors)
/// } catch {
///     guard case .notFound = error else { throw error }
/// }
/// ```
public enum StoreError: Error, Sendable {
    case notFound
    /// The writer may see the article, but another user owns it, or none.
    case notOwner
    /// Only editors may change the owner of an article.
    case ownerFixed
    /// No user with this id may own articles.
    case unknownOwner(UserRecord.ID)
    /// The state was not the expected one; the payload is the current revision, `nil` if there is
    /// none.
    case preconditionFailed(current: Int?)
    case idTaken
    case slugTaken(String)
    /// Another user has this name.
    case nameTaken
    /// Another user has this identity of a provider.
    case identityTaken
    /// The single-use token was used before, or has expired.
    case tokenUsed
    /// The writer sees no author with this id; `index` is the position in the article's byline.
    case unknownAuthor(index: Int, Author.ID)
    /// The author's name differs from the mentioned one.
    case authorDiffers(index: Int, name: String)
    /// The values of an edit, each with its location, that are not valid for what it changes.
    case invalid([Problem.Detail])
    /// The article takes no new comments.
    case commentsClosed
    /// The writer has written as many comments as may be for now.
    case tooManyComments(retryAfterSeconds: Int)
    /// The writer has just written the same comment.
    case repeatedComment
    /// The comment is by another user.
    case notTheWriter
    /// Only editors may change the status of a comment.
    case notEditor
    /// A comment can no longer be changed; it could be for this time.
    case editTimeOver(seconds: Int)
    /// The same write was executed concurrently; nothing was done now.
    case repeated
    /// A different write used the same key.
    case keyReused
    /// A position in the changes does not belong to this history: the client has to begin again.
    case otherHistory
    /// A record to restore differs from the existing one.
    case conflict(String)
    /// A limit on the number of these things was reached.
    case tooMany(String)
    /// The closure of an export threw an error, or the database cannot be opened or moved.
    case rejected(any Error)
    /// The queue is full: retry after some seconds. Nothing was queued.
    case busy
    /// The present commit takes too long: retry after some seconds. Nothing was queued.
    case delayed(CommitDelay)
    /// The store is being moved to another engine: retry after some seconds. Nothing was queued.
    case moving
    /// The disk is full; reads still work.
    case full
    /// An I/O error occurred, or the store is closed. The text is only logged.
    case unavailable(String)
    /// The file is inconsistent. The text is only logged.
    case corrupt(String)
}

/// The resource that a commit that takes too long waits for. See ``StoreError``.
public enum CommitDelay: Sendable, Hashable {
    /// A synchronous standby of the database.
    case standby
    /// The disk, or another cause.
    case unknown
}

/// The reason why a store could not be opened. The description is one line for the operator.
///
/// ```swift
/// let error = StoreOpeningError.missing(path: path)
/// let line = "broadsheet: \(error)"
/// ```
public enum StoreOpeningError: Error, Sendable, CustomStringConvertible {
    /// Another process owns the file.
    case owned(path: String)
    /// The file's schema has a newer version; it was not touched.
    case newer(path: String, version: Int, known: Int)
    /// The file's schema has an older version, which is migrated when it is served.
    case older(path: String, version: Int)
    /// The schema has a version that no release has had; the file was not touched.
    case unsupported(path: String, version: Int)
    /// It is not a Broadsheet database.
    case foreign(path: String)
    /// Its first start was interrupted: it does not contain any data yet.
    case unfinished(path: String)
    case missing(path: String)
    /// The engine cannot read it.
    case damaged(path: String, reason: String)
    /// There is not enough disk space for a copy.
    case noRoom
    /// Its server does not respond, or does not accept connections now: it may do so later.
    case unreachable(path: String, reason: String)
    /// The user of this process, or its role at the server, lacks a permission.
    case forbidden(path: String, reason: String)
    /// The address is wrong, or the database is not set up for this program.
    case unsuitable(path: String, reason: String)
    case failed(path: String, reason: String)

    public var description: String {
        switch self {
        case .owned(let path):
            "\(path) is being served or used by another broadsheet; stop it first"
        case .newer(let path, let version, let known):
            "\(path) has schema version \(version), but this broadsheet supports up to \(known); "
                + "use a newer broadsheet (the file was not touched)"
        case .older(let path, let version):
            "\(path) has schema version \(version) of an older broadsheet; "
                + "serve it once to upgrade it"
        case .unsupported(let path, let version):
            "\(path) has schema version \(version), which this broadsheet cannot upgrade, "
                + "because no release has used it; export it with the broadsheet that last "
                + "served it "
                + "(the file was not touched)"
        case .foreign(let path): "\(path) is not a broadsheet database"
        case .unfinished(let path):
            "\(path) is empty because its first start was interrupted; serve it to initialize it"
        case .damaged(let path, let reason):
            "\(path) is damaged: \(reason); broadsheet check examines it, and "
                + "broadsheet restore BACKUP --replace puts a backup in its place"
        case .noRoom: "not enough disk space for the copy"
        case .missing(let path): "\(path) does not exist"
        case .unreachable(let path, let reason), .forbidden(let path, let reason),
            .unsuitable(let path, let reason), .failed(let path, let reason):
            "\(path) cannot be opened: \(reason)"
        }
    }

    /// The opening error for a failed statement.
    public init(_ error: StoreError, at path: String) {
        switch error {
        case .rejected(let error as StoreOpeningError): self = error
        case .full: self = .noRoom
        case .corrupt(let reason): self = .damaged(path: path, reason: reason)
        default: self = .failed(path: path, reason: error.reason)
        }
    }
}

extension StoreError {
    /// One invalid value in the body.
    static func invalidValue(_ pointer: String, _ detail: String) -> StoreError {
        .invalid([Problem.Detail(detail, at: .pointer(pointer))])
    }

    /// The error as a phrase for the log.
    public var reason: String {
        switch self {
        case .unavailable(let text), .corrupt(let text), .conflict(let text): text
        case .full: "the disk is full"
        case .moving: "the database is being moved"
        default: "\(self)"
        }
    }
}
