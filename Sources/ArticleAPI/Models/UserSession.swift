/// A session that has just begun or was renewed, with its secret tokens.
///
/// ```swift
/// let session = try await backend.send(SignInRequest(name: "ada", password: password))
/// let greeting = "Hello, \(session.user.displayName)!"
/// ```
public struct UserSession: Sendable, Hashable {
    /// Authenticates requests until `expiresAt`: `Authorization: Bearer bsa_…`
    @Redacted public var accessToken: String
    /// The time at which the access token expires: 15 minutes after it was issued.
    public var expiresAt: Timestamp
    /// Gets new tokens, once, within 60 days (``RefreshSessionRequest``).
    @Redacted public var refreshToken: String
    public var user: User

    public init(accessToken: String, expiresAt: Timestamp, refreshToken: String, user: User) {
        self.accessToken = accessToken
        self.expiresAt = expiresAt
        self.refreshToken = refreshToken
        self.user = user
    }
}

/// A session of the user, without its tokens.
///
/// ```swift
/// let sessions = try await backend.send(FetchSessionsRequest()).items
/// let others = sessions.filter { !$0.isCurrent }
/// ```
public struct DeviceSession: Sendable, Hashable, Identifiable {
    /// Identifies the session among all; not secret.
    public var id: String
    /// As the client named itself at sign-in; empty if it did not.
    public var device: String
    /// The client's address when the session was last renewed.
    public var address: String
    public var createdAt: Timestamp
    /// The time at which it was last renewed, at most 15 minutes before its last request.
    public var usedAt: Timestamp
    /// True if the request for the list was made in this session.
    public var isCurrent: Bool

    public init(
        id: String, device: String, address: String, createdAt: Timestamp, usedAt: Timestamp,
        isCurrent: Bool
    ) {
        self.id = id
        self.device = device
        self.address = address
        self.createdAt = createdAt
        self.usedAt = usedAt
        self.isCurrent = isCurrent
    }
}

/// The credentials of a sign-in. See ``SignInRequest``.
public enum SignInProof: Sendable, Hashable {
    case password(name: String, password: String)
    case identity(ProvidedIdentity)
}

extension SignInProof: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Without secrets.
    public var description: String {
        switch self {
        case .password(let name, _): "password of \(name)"
        case .identity(let identity): "identity of \(identity.provider)"
        }
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// An ID token of an OpenID Connect provider. See ``SignInRequest``.
public struct ProvidedIdentity: Sendable, Hashable {
    /// The name of the provider in the backend's configuration.
    public var provider: String
    @Redacted public var idToken: String
    /// 16 to 255 bytes in UTF-8. The token's claim `nonce` must be the SHA-256 of this in
    /// hexadecimal.
    @Redacted public var nonce: String
    /// The code of an invitation, where sign-up is not open. It is needed only for an identity
    /// that has no account yet.
    @Redacted public var invitation: String?

    public init(provider: String, idToken: String, nonce: String, invitation: String? = nil) {
        self.provider = provider
        self.idToken = idToken
        self.nonce = nonce
        self.invitation = invitation
    }
}

/// The body of a sign-in. See ``SignInRequest``.
public struct SignIn: Sendable, Hashable {
    public var proof: SignInProof
    /// A name for the device or app, which the list of sessions shows; 1 to 100 characters.
    public var device: String?

    public init(_ proof: SignInProof, device: String? = nil) {
        self.proof = proof
        self.device = device
    }
}

extension UserSession: JSONModel {
    public static let shape = ObjectCodec(
        named: "UserSession", Self.init,
        .required("accessToken", \.accessToken, .text(.sessionToken)),
        .required("expiresAt", \.expiresAt, .timestamp),
        .required("refreshToken", \.refreshToken, .text(.sessionToken)),
        .required("user", \.user, User.format))
}

extension DeviceSession: JSONModel {
    public static let shape = ObjectCodec(
        named: "DeviceSession", Self.init,
        .required("id", \.id, .text(.token(1...64))),
        .required("device", \.device, .text(.line(0...100))),
        .required("address", \.address, .text(.line(0...100))),
        .required("createdAt", \.createdAt, .timestamp),
        .required("usedAt", \.usedAt, .timestamp),
        .required("isCurrent", \.isCurrent, .boolean))
}

extension SignIn: JSONRepresentable {
    /// `{"name": …, "password": …}` or `{"provider": …, "idToken": …, "nonce": …}`.
    public static let format = JSONCodec<SignIn>(
        schema: .named(
            "SignIn",
            .either([.object(passwordShape.properties), .object(identityShape.properties)])),
        read: { value, reader in
            if case .object(let members) = value, members.contains(where: { $0.name == "provider" })
            {
                return identityShape.read(value, &reader).map {
                    SignIn(.identity($0.identity), device: $0.device)
                }
            }
            return passwordShape.read(value, &reader).map {
                SignIn(.password(name: $0.name, password: $0.password), device: $0.device)
            }
        },
        write: { signIn, _, writer in
            switch signIn.proof {
            case .password(let name, let password):
                passwordShape.write(
                    ByPassword(name: name, password: password, device: signIn.device), to: &writer)
            case .identity(let identity):
                identityShape.write(
                    ByIdentity(identity: identity, device: signIn.device), to: &writer)
            }
        },
        check: { signIn, reader in
            switch signIn.proof {
            case .password(let name, let password):
                passwordShape.check(
                    ByPassword(name: name, password: password, device: signIn.device), &reader)
            case .identity(let identity):
                identityShape.check(ByIdentity(identity: identity, device: signIn.device), &reader)
            }
        })

    private struct ByPassword: Sendable {
        var name: String
        var password: String
        var device: String?
    }

    private struct ByIdentity: Sendable {
        var identity: ProvidedIdentity
        var device: String?
    }

    private static let passwordShape = ObjectCodec(
        ByPassword.init,
        .required("name", \.name, .text(.userName)),
        .required("password", \.password, .text(.password)),
        .optional("device", \.device, .text(.line(1...100))))
    private static let identityShape = ObjectCodec(
        {
            (
                provider: String, idToken: String, nonce: String, invitation: String?,
                device: String?
            ) in
            ByIdentity(
                identity: ProvidedIdentity(
                    provider: provider, idToken: idToken, nonce: nonce, invitation: invitation),
                device: device)
        },
        .required("provider", \.identity.provider, .text(.line(1...100))),
        .required("idToken", \.identity.idToken, .text(.identityToken)),
        .required("nonce", \.identity.nonce, .text(.lines(limitBytes: 255))),
        .optional("invitation", \.identity.invitation, .text(.invitationCode)),
        .optional("device", \.device, .text(.line(1...100))))
}
