import BroadsheetHTTP

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
