package import ArticleAPI
package import ArticleStore
package import BroadsheetHTTPServer

/// The sender of a request, as authenticated by its credentials or its connection.
public struct Principal: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// No credentials.
        case anonymous
        /// A key in the store.
        case key
        /// A user who is signed in.
        case session
        /// The operator, with the key from the configuration.
        case operatorKey
        /// The operator, who has signed in to the console.
        case operatorSession
        /// The operator, with a command on the control socket.
        case controlSocket
    }

    package let kind: Kind
    /// Identifies the credentials among all: the public id of the key or session; empty if
    /// anonymous.
    package let id: String
    /// The user, or the one that the key acts for.
    package let user: User.ID?
    /// `nil` if anonymous.
    package let role: Role?
    /// The time at which the credentials expire; `nil` if they do not.
    package let expiresAt: Timestamp?
    /// The public id of the session of the console in which the key, or the operator, acts; `nil`
    /// outside of it.
    package let consoleSession: String?

    private init(
        _ kind: Kind, id: String, user: User.ID? = nil, role: Role?, expiresAt: Timestamp? = nil,
        consoleSession: String? = nil
    ) {
        self.kind = kind
        self.id = id
        self.user = user
        self.role = role
        self.expiresAt = expiresAt
        self.consoleSession = consoleSession
    }

    package static let anonymous = Principal(.anonymous, id: "", role: nil)

    /// The sender of a valid key.
    package static func key(
        id: String, user: User.ID? = nil, role: Role, expiresAt: Timestamp? = nil
    ) -> Principal {
        Principal(.key, id: id, user: user, role: role, expiresAt: expiresAt)
    }

    /// The sender of a valid access token.
    package static func session(
        id: String, user: User.ID, role: Role, expiresAt: Timestamp
    ) -> Principal {
        Principal(.session, id: id, user: user, role: role, expiresAt: expiresAt)
    }

    /// The same sender in a session of the console, which ends by then.
    package func inConsole(session: String, expiringBy time: Timestamp) -> Principal {
        Principal(
            kind, id: id, user: user, role: role, expiresAt: min(expiresAt ?? time, time),
            consoleSession: session)
    }

    package static let operatorKey = Principal(
        .operatorKey, id: "operator", role: .admin)

    /// The operator in a session of the console.
    ///
    /// - Parameter id: The public id of the session.
    package static func operatorSession(id: String, expiresAt: Timestamp) -> Principal {
        Principal(
            .operatorSession, id: id, role: .admin, expiresAt: expiresAt, consoleSession: id)
    }

    package static let controlSocket = Principal(
        .controlSocket, id: "control", role: .admin)

    /// The account whose rate limit and idempotency keys apply: one for all sessions of a user;
    /// `nil` for an anonymous client, to which the limit of the address applies.
    package var account: String? {
        switch kind {
        case .anonymous: nil
        case .session: user?.description
        case .key, .operatorKey, .controlSocket: id
        case .operatorSession: Self.operatorKey.id
        }
    }

    /// The principal in the log; `nil` if it is anonymous.
    package var sender: RequestSender? {
        switch kind {
        case .anonymous: nil
        case .session: RequestSender(user: user?.description)
        case .key: RequestSender(key: id, user: user?.description)
        case .operatorKey, .operatorSession: RequestSender(key: Self.operatorKey.id)
        case .controlSocket: RequestSender(key: id)
        }
    }

    /// True if it shares its rate limit with all readers of its address. Where anyone can sign up,
    /// an account of its own limit would be worth as much as an address.
    package var sharesAddress: Bool { kind == .session && role == .reader }

    /// Identifies the client in queues where clients take turns: one for all keys and sessions of a
    /// user.
    package var fairShare: UInt64 {
        UInt64(UInt(bitPattern: (user?.description ?? account).hashValue))
    }

    /// The audience that this principal belongs to.
    package var audience: Audience {
        guard let role, role >= .author else { return .everyone }
        if role >= .editor { return .editors }
        // A key for no user owns nothing.
        return user.map { .author($0) } ?? .everyone
    }

    /// True if this principal may see drafts, deleted articles and histories: all of them, or those
    /// that it owns. If not, it sees exactly the public content, and shared cached responses can be
    /// used.
    package var seesHidden: Bool { audience != .everyone }

    /// Names the audience in the description of a list, to which its cursors are bound.
    package var audienceName: String {
        switch audience {
        case .everyone: "everyone"
        case .author(let id): "author \(id)"
        case .editors: "editors"
        }
    }

    /// An edit by this principal; idempotent if it has a key.
    package func edit(at time: Timestamp, _ key: IdempotencyKey?) -> Edit {
        let actor: Edit.Actor =
            switch kind {
            // No endpoint lets an anonymous client edit.
            case .anonymous: .unrecorded(name: nil)
            case .session: user.map { .user($0) } ?? .unrecorded(name: nil)
            case .key: .key(id: id)
            case .operatorKey, .operatorSession, .controlSocket: .operator
            }
        return Edit(at: time, by: actor, key: key, as: audience)
    }

    /// Rejects a principal without the permission; an anonymous client is asked to authenticate.
    package func require(_ access: Endpoint.Access) throws(ServiceError) {
        guard let needed = Role.needed(for: access) else { return }
        guard let role else { throw .unauthenticated(.missing) }
        guard role >= needed else { throw .forbidden(needed: needed, has: role) }
        // A key can leak from a program, and must not take the account away from its user.
        guard kind == .session || access != .manageAccount else { throw .sessionRequired }
        guard user != nil || !access.needsUser(role) else { throw .userRequired }
    }

    /// The user; rejects a principal without an account.
    package func requireUser() throws(ServiceError) -> User.ID {
        guard let user else { throw .userRequired }
        return user
    }

    /// Returns true if the credentials have expired.
    package func isExpired(at time: Timestamp) -> Bool { expiresAt.map { $0 <= time } ?? false }
}

/// The role of a key or a user; each one has the permissions of the lower ones.
public enum Role: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Sees public content; with an account, comments and bookmarks.
    case reader
    /// Also writes articles of their own.
    case author
    /// Also sees and edits everything.
    case editor
    /// Also administers the backend itself.
    case admin

    public static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .reader: 0
        case .author: 1
        case .editor: 2
        case .admin: 3
        }
    }

    /// The lowest role with this permission; `nil` if no role is needed.
    static func needed(for access: Endpoint.Access) -> Role? {
        switch access {
        case .everyone: nil
        case .useAccount, .manageAccount, .comment, .changeComments, .readProfiles: .reader
        case .readHistory, .writeArticles: .author
        case .writeAuthors, .moderate: .editor
        case .manageUsers, .manageSources, .administer: .admin
        }
    }
}

extension Endpoint.Access {
    /// Returns true if it is for a user: a person with an account, or a key that acts for one. Any
    /// key of an editor may moderate and write.
    func needsUser(_ role: Role) -> Bool {
        switch self {
        case .useAccount, .manageAccount, .comment: true
        case .changeComments: role < .editor
        // Authors have these for their own articles.
        case .readHistory, .writeArticles: role == .author
        case .everyone, .writeAuthors, .moderate, .readProfiles, .manageUsers, .manageSources,
            .administer:
            false
        }
    }

    /// True if responses may be stored by the client, or even shared: those about accounts and the
    /// backend itself may not.
    package var isCacheable: Bool {
        switch self {
        case .useAccount, .manageAccount, .readProfiles, .manageUsers, .manageSources,
            .administer:
            false
        case .everyone, .readHistory, .writeArticles, .writeAuthors, .comment, .changeComments,
            .moderate:
            true
        }
    }
}

extension Role {
    /// The role with this name in the contract; `nil` if it is not known here.
    package init?(_ role: User.Role) { self.init(rawValue: role.name) }

    /// The role as responses show it.
    package var shown: User.Role { User.Role(name: rawValue) }
}

extension User {
    /// All of the user, for the user and for admins.
    package init(_ record: UserRecord) {
        self.init(
            id: record.id, displayName: record.displayName, name: record.name,
            role: User.Role(name: record.role),
            isDisabled: record.isDisabled, createdAt: record.createdAt,
            updatedAt: record.updatedAt, revision: record.revision)
    }

    /// Creates the user as others see it.
    package init(publicOf record: UserRecord) {
        self.init(id: record.id, displayName: record.displayName)
    }
}
