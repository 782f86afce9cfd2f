import ArticleAPI
import ArticleAdminAPI
import ArticleClient
import ArticleDatabase
import ArticleServiceCore
import ArticleServices
import BroadsheetCommandLine
import BroadsheetPlatform

/// Creates, lists, changes and invites users.
struct UserCommand: Command {
    static let name = "user"
    static let summary = "Creates, lists, changes and invites users."
    static let usage =
        "create NAME | list | role NAME ROLE | disable NAME | enable NAME | reset-password NAME"
        + " | invite"
    static let example = "broadsheet user create mina --role editor"
    static let options = [
        Option(
            "role", "ROLE", "Role of the user: admin, editor, author or reader (create, invite).",
            default: "reader"),
        Option(
            "display-name", "NAME", "Display name, 1 to 100 characters (create).",
            default: "the name"),
        Option(
            "expires", "TIME", "Expiry of the invitation as an RFC 3339 time (invite).",
            default: "in 7 days"),
        CommonOptions.database, CommonOptions.config,
    ]

    enum Action: Sendable {
        case create(name: String, User.Role, displayName: String?)
        case list
        case change(name: String, User.Changes)
        case resetPassword(name: String)
        case invite(Invitation.Draft)
    }

    let action: Action
    let path: String

    init(_ settings: Settings) throws(CommandFailure) {
        path = settings.database
        let words = settings.operands
        switch (words.first, words.count) {
        case ("create", 2):
            let displayName = try settings.parsed(
                "display-name", expecting: "a name of 1 to 100 characters"
            ) { (1...100).contains($0.count) ? $0 : nil }
            action = .create(name: words[1], try Self.role(settings), displayName: displayName)
        case ("list", 1): action = .list
        case ("role", 3):
            guard let role = Self.role(words[2]) else {
                throw CommandFailure(.usage, "\"\(words[2])\" is not \(Self.roles)")
            }
            action = .change(name: words[1], User.Changes(role: .set(role)))
        case ("disable", 2):
            action = .change(name: words[1], User.Changes(isDisabled: .set(true)))
        case ("enable", 2):
            action = .change(name: words[1], User.Changes(isDisabled: .set(false)))
        case ("reset-password", 2): action = .resetPassword(name: words[1])
        case ("invite", 1):
            let expiresAt = try settings.parsed("expires", expecting: "an RFC 3339 time") {
                Timestamp($0)
            }
            action = .invite(
                Invitation.Draft(role: try Self.role(settings), expiresAt: expiresAt))
        default: throw CommandFailure(.usage, "user \(Self.usage); see --help")
        }
    }

    private static let roles = "admin, editor, author or reader"

    private static func role(_ text: String) -> User.Role? {
        Role(rawValue: text).map { User.Role(name: $0.rawValue) }
    }

    private static func role(_ settings: Settings) throws(CommandFailure) -> User.Role {
        try settings.parsed("role", expecting: roles, role) ?? .reader
    }

    // MARK: Running

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        // Nobody else can use the database while it is open, so the password is asked for before.
        let password =
            switch action {
            case .create(let name, _, _), .resetPassword(let name):
                try Console.readNewPassword(of: name)
            case .list, .change, .invite: ""
            }
        try await Database.with(path, mode: .existing, in: system) {
            (database) throws(CommandFailure) in
            try await perform(by: UserAdmin(try await database.backend(in: system)), password)
        }
    }

    private func perform(
        by admin: UserAdmin, _ password: String
    ) async throws(CommandFailure) {
        switch action {
        case .create(let name, let role, let displayName):
            let draft = User.Draft(
                name: name, password: password, displayName: displayName, role: role)
            try show("created", try await admin.ask(SignUpRequest(user: draft)))
        case .list:
            var request = FetchUsersRequest(limit: 100)
            repeat {
                let page = try await admin.ask(request)
                for user in page.items { try Console.print(Self.line(user)) }
                request.cursor = page.next
            } while request.cursor != nil
        case .change(let name, let changes):
            try show("changed", try await admin.change(name, changes))
        case .resetPassword(let name):
            try show("changed", try await admin.change(name, .init(password: .set(password))))
        case .invite(let draft):
            try Console.print(try await admin.ask(CreateInvitationRequest(draft)).code ?? "")
        }
    }

    private func show(_ action: String, _ user: User) throws(CommandFailure) {
        try Console.print("\(action) \(Self.line(user))")
    }

    private static func line(_ user: User) -> String {
        let time = user.createdAt.map { "\($0)" } ?? ""
        let state = user.isDisabled == true ? "disabled" : "active"
        let role = user.role?.name ?? ""
        return "\(user.id)  \(role)\t\(time)  \(state)\t\(user.name ?? "")\t\(user.displayName)"
    }
}
