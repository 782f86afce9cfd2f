/// A person with an account at the backend.
///
/// Everyone who is signed in sees `id` and `displayName`; the other attributes are `nil` except for
/// the user and for admins.
///
/// ```swift
/// let me = try await backend.send(FetchMeRequest())
/// let isEditor = me.role == .editor
/// ```
public struct User: Sendable, Hashable, Identifiable {
    public typealias ID = Identifier<User>

    public var id: ID
    /// The name that others see: 1 to 100 characters, none of which is invisible except in an
    /// emoji.
    public var displayName: String
    /// The name with which the user signs in: 3 to 32 letters, digits and `._-`, in any script.
    public var name: String?
    public var role: Role?
    /// A disabled account cannot sign in.
    public var isDisabled: Bool?
    public var createdAt: Timestamp?
    public var updatedAt: Timestamp?
    /// 1 for a new user; incremented by each change.
    public var revision: Int?

    public init(
        id: ID, displayName: String, name: String? = nil, role: Role? = nil,
        isDisabled: Bool? = nil, createdAt: Timestamp? = nil, updatedAt: Timestamp? = nil,
        revision: Int? = nil
    ) {
        self.id = id
        self.displayName = displayName
        self.name = name
        self.role = role
        self.isDisabled = isDisabled
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.revision = revision
    }

    /// The permissions of a user; each role has those of the roles before it.
    public enum Role: Sendable, Hashable {
        /// Reads public content, comments and bookmarks.
        case reader
        /// Also writes articles of their own.
        case author
        /// Also writes all articles and moderates comments.
        case editor
        /// Also manages users, keys and settings.
        case admin
        /// A role that a newer backend has.
        case unknown(String)
    }

    /// The account that a person signs up for, or that an admin creates.
    public struct Draft: Sendable, Hashable {
        public var name: String
        /// At least 8 characters, and at most 1,000 bytes in UTF-8; not a common one.
        @Redacted public var password: String
        /// `nil` for the name.
        public var displayName: String?
        /// The code of an invitation, where sign-up is not open.
        @Redacted public var invitation: String?
        /// `nil` for a reader, or the role of the invitation. Only admins may set it.
        public var role: Role?

        public init(
            name: String, password: String, displayName: String? = nil, invitation: String? = nil,
            role: Role? = nil
        ) {
            self.name = name
            self.password = password
            self.displayName = displayName
            self.invitation = invitation
            self.role = role
        }
    }

    /// Changes by the user.
    public struct OwnChanges: Sendable, Hashable {
        /// Clearing it makes it the name.
        public var displayName: Change<String>

        public init(displayName: Change<String> = .keep) { self.displayName = displayName }
    }

    /// A new password, with the current one.
    public struct PasswordChange: Sendable, Hashable {
        /// `nil` only for an account without a password, within 5 minutes of its sign-in.
        @Redacted public var current: String?
        /// At least 8 characters, and at most 1,000 bytes in UTF-8; not a common one.
        @Redacted public var password: String

        public init(current: String?, password: String) {
            self.current = current
            self.password = password
        }
    }

    /// The treatment of a user's comments when the account is deleted.
    public enum CommentDisposal: String, Sendable, Hashable, CaseIterable {
        /// They remain, as those of a deleted user.
        case keep
        case delete
    }
}

extension User: JSONModel {
    public static let shape = ObjectCodec(
        named: "User", Self.init,
        .required("id", \.id, .identifier()),
        .required("displayName", \.displayName, .text(.displayName)),
        .optional("name", \.name, .text(.userName)),
        .optional("role", \.role, .text(.userRole)),
        .optional("disabled", \.isDisabled, .boolean),
        .optional("createdAt", \.createdAt, .timestamp),
        .optional("updatedAt", \.updatedAt, .timestamp),
        .optional("revision", \.revision, .integer(1...Int.max)))
}

extension User.Draft: JSONModel {
    public static let shape = ObjectCodec(
        named: "UserDraft", Self.init,
        .required("name", \.name, .text(.newUserName)),
        .required("password", \.password, .text(.newPassword)),
        .optional("displayName", \.displayName, .text(.displayName)),
        .optional("invitation", \.invitation, .text(.invitationCode)),
        .optional("role", \.role, .text(.userRole)))
}

extension User.OwnChanges: JSONModel {
    public static let shape = ObjectCodec(
        named: "OwnChanges", Self.init(displayName:),
        .change("displayName", \.displayName, .text(.displayName)))
}

extension User.PasswordChange: JSONModel {
    public static let shape = ObjectCodec(
        named: "PasswordChange", Self.init,
        .optional("current", \.current, .text(.password)),
        .required("password", \.password, .text(.newPassword)))
}

extension User.Role {
    static let known: [User.Role] = [.reader, .author, .editor, .admin]

    package init(name: String) {
        self = Self.known.first { $0.name == name } ?? .unknown(name)
    }

    /// The name on the wire.
    package var name: String {
        switch self {
        case .reader: "reader"
        case .author: "author"
        case .editor: "editor"
        case .admin: "admin"
        case .unknown(let name): name
        }
    }
}

extension TextCodec where Value == User.Role {
    /// A role; backends reject an unknown one.
    public static var userRole: TextCodec {
        let names = User.Role.known.map(\.name)
        return TextCodec(
            "one of \(names.joined(separator: ", "))", .named("UserRole", .choice(names)),
            parse: { User.Role(name: $0) }, print: \.name,
            fault: { role in
                guard case .unknown = role else { return nil }
                return "must be one of \(names.joined(separator: ", "))"
            })
    }
}

// Secrets have formats whose faults do not quote the text.

extension TextCodec where Value == String {
    /// The name of an account, as anyone may type it. The backend accepts fewer at sign-up.
    public static var userName: TextCodec { .line(1...200) }

    /// A name that others see.
    public static var displayName: TextCodec {
        normalized(
            "a single line of text", TextSchema(.line, length: DisplayName.lengths),
            fault: DisplayName.fault)
    }

    /// A password of at most 1,000 bytes.
    public static var password: TextCodec { .lines(limitBytes: 1_000) }

    /// The name of an account at sign-up. It is described by its length; the backend checks that
    /// together with the characters, and describes the fault.
    static var newUserName: TextCodec { userName.described(as: TextSchema(.line, length: 3...32)) }

    /// A password that is chosen. It is described by its length, which the backend checks together
    /// with how common it is.
    package static var newPassword: TextCodec {
        password.described(as: TextSchema(.lines, length: 8...1_000))
    }

    private func described(as schema: TextSchema) -> TextCodec {
        TextCodec(expectation, .text(schema), parse: parse, print: print, fault: fault)
    }

    /// The code of an invitation.
    public static var invitationCode: TextCodec { .lines(limitBytes: 200) }

    /// A token of a session.
    public static var sessionToken: TextCodec { .lines(limitBytes: 200) }

    /// A token of an OpenID Connect provider.
    public static var identityToken: TextCodec { .lines(limitBytes: 16_384) }
}
