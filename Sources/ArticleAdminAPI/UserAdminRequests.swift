public import ArticleAPI
public import BroadsheetHTTP

/// `GET /v1/users`: all users, ordered by id.
///
/// ```swift
/// let page = try await backend.send(FetchUsersRequest(limit: 100))
/// ```
public struct FetchUsersRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/users", name: "listUsers", summary: "Lists users", access: .manageUsers)
    public typealias Item = Page<User>

    public static let parameters = Parameters(
        Self.init, .query("limit", \.limit, .integer(ArticleLimits.page)),
        .query("cursor", \.cursor, .cursor), .query("name", \.name, .userName))

    /// 1 to 100; `nil` for 20.
    public var limit: Int?
    /// The `next` of the previous page.
    public var cursor: String?
    /// Selects the user with this name, in any case; `nil` for all.
    public var name: String?

    public init(limit: Int? = nil, cursor: String? = nil, name: String? = nil) {
        self.limit = limit
        self.cursor = cursor
        self.name = name
    }
}

/// `PATCH /v1/users/{id}`: changes a user. A changed role or password, and disabling the account,
/// ends all sessions of the user.
///
/// ```swift
/// let user = try await backend.send(
///     UpdateUserRequest(id: id, changes: User.Changes(role: .set(.author))))
/// ```
public struct UpdateUserRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .patch, "/v1/users/{id}", name: "updateUser", summary: "Changes a user",
        access: .manageUsers, carriesSecrets: true)
    public typealias Item = User

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()), .header("If-Match", \.expected, .ifMatch),
        .mergePatch(\.changes))

    public var id: User.ID
    /// The version to change; `nil` for any.
    public var expected: IfMatch?
    public var changes: User.Changes

    public init(id: User.ID, expected: IfMatch? = nil, changes: User.Changes) {
        self.id = id
        self.expected = expected
        self.changes = changes
    }
}

/// `DELETE /v1/users/{id}`: deletes an account with its sessions and bookmarks.
///
/// ```swift
/// try await backend.send(DeleteUserRequest(id: id, comments: .delete))
/// ```
public struct DeleteUserRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .delete, "/v1/users/{id}", name: "deleteUser", summary: "Deletes an account",
        access: .manageUsers, success: .noContent)
    public typealias Item = NoContent

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()), .header("If-Match", \.expected, .ifMatch),
        .query("comments", \.comments, .choice))

    public var id: User.ID
    /// The version to delete; `nil` for any.
    public var expected: IfMatch?
    /// `nil` keeps them, as those of a deleted user.
    public var comments: User.CommentDisposal?

    public init(
        id: User.ID, expected: IfMatch? = nil, comments: User.CommentDisposal? = nil
    ) {
        self.id = id
        self.expected = expected
        self.comments = comments
    }
}

/// `GET /v1/users/{id}/sessions`: all sessions of a user, most recently used first, for admins.
///
/// ```swift
/// let sessions = try await backend.send(FetchUserSessionsRequest(id: user.id)).items
/// ```
public struct FetchUserSessionsRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/users/{id}/sessions", name: "listUserSessions",
        summary: "Lists the sessions of a user", access: .manageUsers)
    public typealias Item = Page<DeviceSession>

    public static let parameters = Parameters(Self.init, .path("id", \.id, .identifier()))

    public var id: User.ID

    public init(id: User.ID) { self.id = id }
}

/// `DELETE /v1/users/{id}/sessions/{session}`: ends a session of a user, for admins.
///
/// ```swift
/// try await backend.send(EndUserSessionRequest(id: user.id, session: session.id))
/// ```
public struct EndUserSessionRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .delete, "/v1/users/{id}/sessions/{session}", name: "endUserSession",
        summary: "Ends a session of a user", access: .manageUsers, success: .noContent)
    public typealias Item = NoContent

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()),
        .path("session", \.session, .token(1...64)))

    public var id: User.ID
    /// The id of a `DeviceSession`.
    public var session: String

    public init(id: User.ID, session: String) {
        self.id = id
        self.session = session
    }
}

extension User {
    /// Changes by an admin.
    public struct Changes: Sendable, Hashable {
        /// Clearing it makes it the name.
        public var displayName: Change<String>
        public var role: Change<Role>
        public var isDisabled: Change<Bool>
        /// A new password, which ends all sessions of the user.
        @Redacted public var password: Change<String>

        public init(
            displayName: Change<String> = .keep, role: Change<Role> = .keep,
            isDisabled: Change<Bool> = .keep, password: Change<String> = .keep
        ) {
            self.displayName = displayName
            self.role = role
            self.isDisabled = isDisabled
            self.password = password
        }
    }
}

extension User.Changes: JSONModel {
    public static let shape = ObjectCodec(
        named: "UserChanges", Self.init,
        .change("displayName", \.displayName, .text(.displayName)),
        .change("role", \.role, .text(.userRole)),
        .change("disabled", \.isDisabled, .boolean),
        .change("password", \.password, .text(.newPassword)))
}

extension FetchUsersRequest: PagedRequest {
    public typealias PageItem = User
}
