import ArticleAPI
import ArticleStore

/// What a key may do; each role may do what those below it may.
public enum Role: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Sees what the public sees.
    case reader
    /// Sees and edits everything.
    case editor
    /// Also what concerns the backend itself.
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

/// Who sent a request, as far as its credentials tell.
public enum Principal: Sendable, Hashable {
    /// No credentials.
    case anonymous
    /// A live key: its public id, its name and its role.
    case key(id: String, name: String, role: Role)

    /// The role, `nil` for a stranger.
    public var role: Role? {
        switch self {
        case .anonymous: nil
        case .key(_, _, let role): role
        }
    }

    /// Whose limits count for this caller's requests; `nil` for a stranger: those of the address.
    var account: String? {
        switch self {
        case .anonymous: nil
        case .key(let id, _, _): id
        }
    }

    /// What this caller can see at a moment.
    func audience(at now: Timestamp) -> Audience {
        isEditor ? .editors : .everyone(at: now)
    }

    /// Whether this caller sees what everybody sees, and nothing else: what is kept for everybody
    /// is for them, too.
    var seesWhatIsPublic: Bool { !isEditor }

    /// Whether drafts, deleted articles and histories are open to this caller.
    var isEditor: Bool { role.map { $0 >= .editor } ?? false }

    /// How the history names this caller.
    var editorName: String? {
        switch self {
        case .anonymous: nil
        case .key(_, let name, _): name
        }
    }

    /// An edit by this caller; done once, if it has a key.
    func edit(at time: Timestamp, _ key: IdempotencyKey?) -> Edit {
        Edit(at: time, editor: editorName, key: key)
    }

    /// Refuses a caller whose role is too small: a stranger may come back with a key.
    func require(_ needed: Role) throws(ServiceError) {
        guard let role else { throw .unauthenticated(.missing) }
        guard role >= needed else { throw .forbidden(needed: needed, has: role) }
    }
}
