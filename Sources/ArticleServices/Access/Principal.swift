import ArticleAPI
import ArticleStore

/// The role of a key; each one has the permissions of the lower ones.
public enum Role: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Sees what is public.
    case reader
    /// Sees and edits everything.
    case editor
    /// Also administers the backend itself.
    case admin

    public static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .reader: 0
        case .editor: 1
        case .admin: 2
        }
    }

    /// The lowest role with this permission; `nil` if no role is needed.
    static func needed(for access: Endpoint.Access) -> Role? {
        switch access {
        case .everyone: nil
        case .readHistory, .writeArticles, .writeAuthors: .editor
        case .administer: .admin
        }
    }
}

/// The sender of a request, as authenticated by its credentials or its connection.
public struct Principal: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// No credentials.
        case anonymous
        /// A key in the store.
        case key
        /// The operator, with the key from the configuration.
        case operatorKey
        /// The operator, with a command on the control socket.
        case controlSocket
    }

    let kind: Kind
    /// Identifies the principal among all: the public id of its key; empty if anonymous.
    let id: String
    /// `nil` if anonymous.
    package let role: Role?

    private init(_ kind: Kind, id: String, role: Role?) {
        self.kind = kind
        self.id = id
        self.role = role
    }

    static let anonymous = Principal(.anonymous, id: "", role: nil)

    /// The sender of a valid key.
    static func key(id: String, role: Role) -> Principal {
        Principal(.key, id: id, role: role)
    }

    static let operatorKey = Principal(
        .operatorKey, id: "operator", role: .admin)

    static let controlSocket = Principal(
        .controlSocket, id: "control", role: .admin)

    /// The account whose rate limit applies; `nil` for an anonymous client, to which the limit of
    /// the address applies.
    var account: String? { kind == .anonymous ? nil : id }

    /// The audience that this principal belongs to at a point in time.
    func audience(at now: Timestamp) -> Audience {
        seesHidden ? .editors : .everyone(at: now)
    }

    /// Whether this principal may see drafts, deleted articles and histories. If not, it sees
    /// exactly what is public, and shared cached responses can be used.
    var seesHidden: Bool { may(.readHistory) }

    /// Names the audience in the description of a list, to which its cursors are bound.
    var audienceName: String { seesHidden ? "editors" : "everyone" }

    /// An edit by this principal; idempotent if it has a key.
    func edit(at time: Timestamp, _ key: IdempotencyKey?) -> Edit {
        let actor: Edit.Actor =
            switch kind {
            // No endpoint lets an anonymous client edit.
            case .anonymous: .unrecorded(name: nil)
            case .key: .key(id: id)
            case .operatorKey, .controlSocket: .operator
            }
        return Edit(at: time, by: actor, key: key)
    }

    /// Whether this principal has the permission.
    func may(_ access: Endpoint.Access) -> Bool {
        guard let needed = Role.needed(for: access) else { return true }
        return role.map { $0 >= needed } ?? false
    }

    /// Rejects a principal without the permission; an anonymous client is asked to authenticate.
    func require(_ access: Endpoint.Access) throws(ServiceError) {
        guard let needed = Role.needed(for: access) else { return }
        guard let role else { throw .unauthenticated(.missing) }
        guard role >= needed else { throw .forbidden(needed: needed, has: role) }
    }
}
