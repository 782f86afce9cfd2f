public import ArticleAPI

/// Stores users.
///
/// Each method is one atomic step, and a write is durable when it returns. Safe to use from any
/// thread.
///
/// ```swift
/// let user = UserRecord(
///     id: UserRecord.ID(at: time), name: "Ada", nameKey: "ada", displayName: "Ada",
///     role: "author", passwordHash: hash, createdAt: time)
/// try await store.createUser(user, using: nil, at: time)
/// let changed = try await store.updateUser(
///     user.id, expecting: 1, UserChange(role: "editor"), at: time)
/// ```
public protocol UserRepository: Sendable {
    /// Adds a user. An invitation is used up in the same step.
    ///
    /// Throws `.idTaken`, `.nameTaken`, `.tooMany` if there are 1,000,000 users, or `.notFound` if
    /// the invitation does not exist, has expired by `time`, or was used.
    func createUser(
        _ user: UserRecord, using invitation: String?, at time: Timestamp
    ) async throws(StoreError)

    func user(_ id: UserRecord.ID) async throws(StoreError) -> UserRecord

    /// The user whose name has this folded form.
    func user(named nameKey: String) async throws(StoreError) -> UserRecord

    /// Users in the order of their ids. `limit` is 1 to 100.
    func users(
        after id: UserRecord.ID?, limit: Int
    ) async throws(StoreError) -> Slice<UserRecord, UserRecord.ID>

    /// The number of users. It is stored, so that this does not read all of them.
    func userCount() async throws(StoreError) -> Int

    /// Changes a user. If anything differs afterwards, this creates a revision.
    ///
    /// A changed role, and disabling or enabling the account, ends all sessions of the user; a
    /// changed password ends all but the one that `change` keeps. Either raises `accessEpoch`.
    ///
    /// Throws `.preconditionFailed` if the user does not have the expected revision; `nil` accepts
    /// any.
    func updateUser(
        _ id: UserRecord.ID, expecting revision: Int?, _ change: UserChange, at time: Timestamp
    ) async throws(StoreError) -> UserRecord

    /// Replaces a password's hash with one of the same password that has other parameters. It does
    /// not create a revision or end sessions. Returns `false` if the stored hash is not `old`.
    func rehash(
        _ id: UserRecord.ID, from old: String, to new: String
    ) async throws(StoreError) -> Bool

    /// Disables a user who is to be deleted, and ends the user's sessions. From then on,
    /// `finishDeletion` deletes the user, whatever happens in between.
    ///
    /// Throws `.preconditionFailed` if the user does not have the expected revision.
    func beginDeletion(
        of id: UserRecord.ID, expecting revision: Int?, comments: User.CommentDisposal,
        at time: Timestamp
    ) async throws(StoreError)

    /// Removes a user whose deletion has begun, with the user's identities and bookmarks. An
    /// invitation that the user accepted stays used, but no longer names the user, and neither do
    /// histories. Comments stay without their writer, or are deleted. The user's articles have no
    /// owner afterwards: each gets a revision for this, made by the system.
    ///
    /// There may be many comments and articles: they are changed in several steps before the last
    /// one removes the user. Does nothing if there is no such user.
    func finishDeletion(of id: UserRecord.ID, at time: Timestamp) async throws(StoreError)

    /// Some of the users whose deletion has begun, because it was interrupted.
    func unfinishedDeletions() async throws(StoreError) -> [UserRecord.ID]
}

extension UserRepository {
    /// Removes a user and everything of the user, except comments if these are to be kept.
    public func deleteUser(
        _ id: UserRecord.ID, expecting revision: Int?, comments: User.CommentDisposal = .keep,
        at time: Timestamp
    ) async throws(StoreError) {
        try await beginDeletion(of: id, expecting: revision, comments: comments, at: time)
        try await finishDeletion(of: id, at: time)
    }
}

/// A user as it is stored. See ``UserRepository``.
public struct UserRecord: Sendable, Hashable {
    public typealias ID = User.ID

    public var id: ID
    /// As it was chosen.
    public var name: String
    /// The folded form of the name, which no two users share. The store does not compute it.
    public var nameKey: String
    public var displayName: String
    /// `admin`, `editor`, `author` or `reader`.
    public var role: String
    /// The Argon2 hash with its parameters, as encoded text; `nil` for an account without a
    /// password.
    public var passwordHash: String?
    public var isDisabled: Bool
    public var createdAt: Timestamp
    public var updatedAt: Timestamp
    public var revision: Int
    /// A number that rises when the role or the password changes, and when the account is disabled
    /// or enabled: earlier decisions about access then have to be made again.
    public var accessEpoch: Int

    /// A new user.
    public init(
        id: ID, name: String, nameKey: String, displayName: String, role: String,
        passwordHash: String?, createdAt: Timestamp
    ) {
        self.id = id
        self.name = name
        self.nameKey = nameKey
        self.displayName = displayName
        self.role = role
        self.passwordHash = passwordHash
        isDisabled = false
        self.createdAt = createdAt
        updatedAt = createdAt
        revision = 1
        accessEpoch = 0
    }
}

/// Changes to a user; `nil` leaves an attribute as it is. See ``UserRepository``.
public struct UserChange: Sendable, Hashable {
    public var displayName: String?
    public var role: String?
    public var isDisabled: Bool?
    public var passwordHash: String?
    /// The session that a changed password does not end: the one in which it was changed.
    public var keptSession: String?

    public init(
        displayName: String? = nil, role: String? = nil, isDisabled: Bool? = nil,
        passwordHash: String? = nil, keptSession: String? = nil
    ) {
        self.displayName = displayName
        self.role = role
        self.isDisabled = isDisabled
        self.passwordHash = passwordHash
        self.keptSession = keptSession
    }
}
