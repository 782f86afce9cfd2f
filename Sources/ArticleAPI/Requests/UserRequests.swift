public import BroadsheetHTTP

/// `POST /v1/users`: signs up, where sign-up is open or with an invitation; admins create accounts
/// for others.
///
/// A `BackendService` that sends it signs in to the new account. Admins who create one for somebody
/// else set its `role`: then their own session goes on.
///
/// ```swift
/// let user = try await backend.send(
///     SignUpRequest(user: User.Draft(name: "ada", password: password)))
/// ```
public struct SignUpRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/users", name: "signUp", summary: "Creates an account", access: .everyone,
        success: .created, problems: [.signUpClosed, .nameTaken], carriesSecrets: true)
    public typealias Item = User

    public static let parameters = Parameters(Self.init(user:), .body(\.user))

    public var user: User.Draft

    public init(user: User.Draft) { self.user = user }

    public init(
        name: String, password: String, displayName: String? = nil, invitation: String? = nil
    ) {
        user = User.Draft(
            name: name, password: password, displayName: displayName, invitation: invitation)
    }
}

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

/// `GET /v1/users/{id}`: a user. Only the user and admins see more than the display name.
///
/// ```swift
/// let name = try await backend.send(FetchUserRequest(id: id)).displayName
/// ```
public struct FetchUserRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/users/{id}", name: "getUser", summary: "Gets a user", access: .readProfiles)
    public typealias Item = User

    public static let parameters = Parameters(Self.init, .path("id", \.id, .identifier()))

    public var id: User.ID

    public init(id: User.ID) { self.id = id }
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

/// `POST /v1/invitations`: makes a code with which one person can sign up.
///
/// ```swift
/// let invitation = try await backend.send(
///     CreateInvitationRequest(Invitation.Draft(role: .author)))
/// ```
public struct CreateInvitationRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/invitations", name: "createInvitation",
        summary: "Makes a code with which one person can sign up", access: .manageUsers,
        success: .created, carriesSecrets: true)
    public typealias Item = Invitation

    public static let parameters = Parameters(Self.init(_:), .body(\.invitation))

    public var invitation: Invitation.Draft

    public init(_ invitation: Invitation.Draft) { self.invitation = invitation }
}
