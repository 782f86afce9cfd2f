import ArticleAPI
import ArticleStore

/// The permissions of a key; each role includes the permissions of the lower ones.
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
}

/// The sender of a request according to its credentials.
public enum Principal: Sendable, Hashable {
    /// No credentials.
    case anonymous
    /// A valid key: its public id, its name and its role.
    case key(id: String, name: String, role: Role)

    /// The role, `nil` for an anonymous client.
    public var role: Role? {
        switch self {
        case .anonymous: nil
        case .key(_, _, let role): role
        }
    }

    /// The account whose rate limit applies; `nil` for an anonymous client, to which the limit of
    /// the address applies.
    var account: String? {
        switch self {
        case .anonymous: nil
        case .key(let id, _, _): id
        }
    }

    /// The audience that this caller belongs to at a point in time.
    func audience(at now: Timestamp) -> Audience {
        isEditor ? .editors : .everyone(at: now)
    }

    /// Whether this caller sees exactly what is public, so that shared cached responses can be
    /// used.
    var seesWhatIsPublic: Bool { !isEditor }

    /// Whether this caller may see drafts, deleted articles and histories.
    var isEditor: Bool { role.map { $0 >= .editor } ?? false }

    /// The name of this caller in the history.
    var editorName: String? {
        switch self {
        case .anonymous: nil
        case .key(_, let name, _): name
        }
    }

    /// An edit by this caller; idempotent if it has a key.
    func edit(at time: Timestamp, _ key: IdempotencyKey?) -> Edit {
        Edit(at: time, editor: editorName, key: key)
    }

    /// Rejects a caller whose role is insufficient; an anonymous client is asked to authenticate.
    func require(_ needed: Role) throws(ServiceError) {
        guard let role else { throw .unauthenticated(.missing) }
        guard role >= needed else { throw .forbidden(needed: needed, has: role) }
    }
}
