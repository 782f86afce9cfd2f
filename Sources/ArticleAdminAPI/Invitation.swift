public import ArticleAPI
import BroadsheetHTTP

/// A code with which a person can sign up, once.
///
/// ```swift
/// let invitation = try await backend.send(
///     CreateInvitationRequest(Invitation.Draft(role: .author)))
/// let code = invitation.code
/// ```
public struct Invitation: Sendable, Hashable, Identifiable {
    /// Identifies the invitation; not secret.
    public var id: String
    /// Only in the response to its creation.
    @Redacted public var code: String?
    /// The role that the new user gets.
    public var role: User.Role
    public var createdAt: Timestamp
    public var expiresAt: Timestamp

    public init(
        id: String, code: String? = nil, role: User.Role, createdAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.id = id
        self.code = code
        self.role = role
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// An invitation to be created.
    public struct Draft: Sendable, Hashable {
        public var role: User.Role
        /// `nil` for 7 days from now; at most 90 days from now.
        public var expiresAt: Timestamp?

        public init(role: User.Role = .reader, expiresAt: Timestamp? = nil) {
            self.role = role
            self.expiresAt = expiresAt
        }
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

extension Invitation: JSONModel {
    public static let shape = ObjectCodec(
        named: "Invitation", Self.init,
        .required("id", \.id, .text(.token(1...64))),
        .optional("code", \.code, .text(.invitationCode)),
        .required("role", \.role, .text(.userRole)),
        .required("createdAt", \.createdAt, .timestamp),
        .required("expiresAt", \.expiresAt, .timestamp))
}

extension Invitation.Draft: JSONModel {
    public static let shape = ObjectCodec(
        named: "InvitationDraft", Self.init,
        .defaulted("role", to: .reader, \.role, .text(.userRole)),
        .optional("expiresAt", \.expiresAt, .timestamp))
}
