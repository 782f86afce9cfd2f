package import ArticleAPI

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
