import BroadsheetHTTP

/// `POST /v1/sessions`: signs in, with a name and a password or with an ID token of an OpenID
/// Connect provider.
///
/// A wrong name and a wrong password are rejected alike (401, after the same time), and attempts
/// are throttled (429). A `BackendService` that sends it has signed in: it sends no credentials
/// with it, and keeps those of the response.
///
/// ```swift
/// let session = try await backend.send(
///     SignInRequest(name: "ada", password: password, device: "Ada's phone"))
/// ```
public struct SignInRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/sessions", name: "signIn", summary: "Signs in",
        access: .everyone, success: .created, problems: [.signUpClosed], carriesSecrets: true)
    public typealias Item = UserSession

    public static let parameters = Parameters(Self.init(_:), .body(\.signIn))

    public var signIn: SignIn

    public init(_ signIn: SignIn) { self.signIn = signIn }

    public init(name: String, password: String, device: String? = nil) {
        signIn = SignIn(.password(name: name, password: password), device: device)
    }

    public init(_ identity: ProvidedIdentity, device: String? = nil) {
        signIn = SignIn(.identity(identity), device: device)
    }
}

/// `POST /v1/sessions/refresh`: exchanges a refresh token for new tokens of the same session.
///
/// If the response is lost, the same token gets the same tokens again until one of them is used,
/// and for 5 s from then on. Later, a token that was renewed before ends the session.
///
/// ```swift
/// let renewed = try await backend.send(RefreshSessionRequest(refreshToken: token))
/// ```
public struct RefreshSessionRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/sessions/refresh", name: "refreshSession",
        summary: "Exchanges a refresh token for new tokens", access: .everyone,
        carriesSecrets: true)
    public typealias Item = UserSession

    public static let parameters = Parameters(Self.init(body:), .body(\.body))

    public var refreshToken: String { body.refreshToken }
    private let body: RefreshBody

    public init(refreshToken: String) { body = RefreshBody(refreshToken: refreshToken) }

    private init(body: RefreshBody) { self.body = body }
}

/// `DELETE /v1/sessions/current`: signs out; the tokens of the session are no longer valid.
///
/// A `BackendService` that sends it has signed out, whatever the response is.
///
/// ```swift
/// try await backend.send(SignOutRequest())
/// ```
public struct SignOutRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .delete, "/v1/sessions/current", name: "signOut", summary: "Ends the current session",
        access: .manageAccount, success: .noContent)
    public typealias Item = NoContent

    public static let parameters = Parameters(Self.init)

    public init() {}
}

/// `GET /v1/me/sessions`: all sessions of the user, most recently used first.
///
/// ```swift
/// let devices = try await backend.send(FetchSessionsRequest()).items.map(\.device)
/// ```
public struct FetchSessionsRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/me/sessions", name: "listSessions", summary: "Lists the user's sessions",
        access: .manageAccount)
    public typealias Item = Page<DeviceSession>

    public static let parameters = Parameters(Self.init)

    public init() {}
}

/// `DELETE /v1/me/sessions/{id}`: ends one of the user's sessions.
///
/// ```swift
/// try await backend.send(EndSessionRequest(id: session.id))
/// ```
public struct EndSessionRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .delete, "/v1/me/sessions/{id}", name: "endSession",
        summary: "Ends one of the user's sessions", access: .manageAccount, success: .noContent)
    public typealias Item = NoContent

    public static let parameters = Parameters(Self.init, .path("id", \.id, .token(1...64)))

    public var id: String

    public init(id: String) { self.id = id }
}

/// The body of a ``RefreshSessionRequest``.
private struct RefreshBody: JSONModel, Hashable {
    static let shape = ObjectCodec(
        named: "SessionRefresh", Self.init(refreshToken:),
        .required("refreshToken", \.refreshToken, .text(.sessionToken)))

    @Redacted var refreshToken: String
}
