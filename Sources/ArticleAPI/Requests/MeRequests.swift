public import BroadsheetHTTP

/// `GET /v1/me`: the user that the credentials belong to.
///
/// ```swift
/// let me = try await backend.send(FetchMeRequest())
/// ```
public struct FetchMeRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/me", name: "getMe", summary: "Gets the user's own account",
        access: .useAccount)
    public typealias Item = User

    public static let parameters = Parameters(Self.init)

    public init() {}
}

/// `PATCH /v1/me`: changes the user's own display name.
///
/// ```swift
/// let me = try await backend.send(
///     UpdateMeRequest(changes: User.OwnChanges(displayName: .set("Ada L."))))
/// ```
public struct UpdateMeRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .patch, "/v1/me", name: "updateMe", summary: "Changes the user's own account",
        access: .useAccount)
    public typealias Item = User

    public static let parameters = Parameters(
        Self.init, .header("If-Match", \.expected, .ifMatch), .mergePatch(\.changes))

    /// The version to change; `nil` for any.
    public var expected: IfMatch?
    public var changes: User.OwnChanges

    public init(expected: IfMatch? = nil, changes: User.OwnChanges) {
        self.expected = expected
        self.changes = changes
    }
}

/// `DELETE /v1/me`: deletes the user's own account with its sessions and bookmarks.
///
/// A `BackendService` that has sent it is signed out.
///
/// ```swift
/// try await backend.send(DeleteMeRequest(current: password, comments: .delete))
/// ```
public struct DeleteMeRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .delete, "/v1/me", name: "deleteMe", summary: "Deletes the user's own account",
        access: .manageAccount, success: .noContent, carriesSecrets: true)
    public typealias Item = NoContent

    public static let parameters = Parameters(
        Self.init(body:expected:comments:), .optionalBody(\.body),
        .header("If-Match", \.expected, .ifMatch), .query("comments", \.comments, .choice))

    /// The password; `nil` only for an account without one, within 5 minutes of its sign-in.
    public var current: String?
    /// The version to delete; `nil` for any.
    public var expected: IfMatch?
    /// `nil` keeps them, as those of a deleted user.
    public var comments: User.CommentDisposal?

    public init(
        current: String?, expected: IfMatch? = nil, comments: User.CommentDisposal? = nil
    ) {
        self.current = current
        self.expected = expected
        self.comments = comments
    }

    private var body: DeletionBody? { current.map { DeletionBody(current: $0) } }

    private init(body: DeletionBody?, expected: IfMatch?, comments: User.CommentDisposal?) {
        self.init(current: body?.current, expected: expected, comments: comments)
    }
}

/// The body of a ``DeleteMeRequest``.
private struct DeletionBody: JSONModel, Hashable {
    static let shape = ObjectCodec(
        named: "AccountDeletion", Self.init(current:),
        .optional("current", \.current, .text(.password)))

    var current: String?
}

/// `PUT /v1/me/password`: changes the user's password, and ends all other sessions.
///
/// ```swift
/// try await backend.send(
///     ChangePasswordRequest(User.PasswordChange(current: old, password: new)))
/// ```
public struct ChangePasswordRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .put, "/v1/me/password", name: "changePassword", summary: "Changes the user's password",
        access: .manageAccount, success: .noContent, carriesSecrets: true)
    public typealias Item = NoContent

    public static let parameters = Parameters(Self.init(_:), .body(\.change))

    public var change: User.PasswordChange

    public init(_ change: User.PasswordChange) { self.change = change }
}
