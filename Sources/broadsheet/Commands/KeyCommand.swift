import ArticleAPI
import ArticleAccounts
import ArticleDatabase
import ArticleServiceCore
import ArticleServices
import ArticleStore
import BroadsheetCommandLine
import BroadsheetPlatform

/// Creates, lists and revokes API keys.
struct KeyCommand: Command {
    static let name = "key"
    static let summary = "Creates, lists and revokes API keys."
    static let usage =
        "create --role ROLE [--name NAME] [--owner NAME] [--expires TIME] | list | revoke ID"
    static let example = "KEY=$(broadsheet key create --role editor --name phone)"
    static let options = [
        Option("role", "ROLE", "Role of the key: admin, editor, author or reader (create)."),
        Option(
            "name", "NAME", "Name shown in the history, 1 to 100 characters (create).",
            default: "the role"),
        Option("owner", "NAME", "User for whom the key acts, limited by its role (create)."),
        Option(
            "expires", "TIME", "Expiry of the key as an RFC 3339 time (create).", default: "never"),
        CommonOptions.database, CommonOptions.config,
    ]

    enum Action: Sendable {
        case create(Role, name: String, owner: String?, expiry: Expiry?)
        case list
        case revoke(String)
    }

    /// When a key expires.
    struct Expiry: Sendable {
        let time: Timestamp
        /// Thrown if the time has passed.
        let failure: CommandFailure
    }

    let action: Action
    let path: String

    init(_ settings: Settings) throws(CommandFailure) {
        path = settings.database
        let words = settings.operands
        switch (words.first, words.count) {
        case ("create", 1): action = try Self.creation(settings)
        case ("list", 1): action = .list
        case ("revoke", 2): action = .revoke(words[1])
        default:
            throw CommandFailure(
                .usage, "expected key create, key list or key revoke ID; see --help")
        }
    }

    private static func creation(_ settings: Settings) throws(CommandFailure) -> Action {
        let role = try settings.parsed("role", expecting: "admin, editor, author or reader") {
            Role(rawValue: $0)
        }
        guard let role else {
            throw CommandFailure(.usage, "missing --role: admin, editor, author or reader")
        }
        let name = try settings.parsed("name", expecting: "a name of 1 to 100 characters") {
            (1...100).contains($0.count) && !$0.unicodeScalars.contains { $0.value < 0x20 }
                ? $0 : nil
        }
        let expected = "an RFC 3339 time in the future"
        let time = try settings.parsed("expires", expecting: expected) { Timestamp($0) }
        let value = settings.all("expires").last
        let expiry = time.flatMap { time in
            value.map { Expiry(time: time, failure: settings.wrong($0, "not \(expected)")) }
        }
        return .create(
            role, name: name ?? role.rawValue, owner: settings.text("owner"), expiry: expiry)
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        if case .create(_, _, _, let expiry?) = action, expiry.time <= system.now {
            throw expiry.failure
        }
        try await Database.with(path, mode: .existing, in: system) {
            (database) throws(CommandFailure) in
            try await perform(on: database, system)
        }
    }

    private func perform(
        on database: Database, _ system: SystemEnvironment
    ) async throws(CommandFailure) {
        let store = database.keys
        switch action {
        case .create(let role, let name, let owner, let expiry):
            var user: User.ID?
            if let owner {
                user = try await UserAdmin(try await database.backend(in: system)).user(
                    named: owner
                ).id
            }
            let key = APIKey(
                name: name, role: role, owner: user, at: system.now, expiresAt: expiry?.time,
                system: system)
            try await create(key, in: store)
        case .list:
            let keys: [KeyRecord]
            do throws(StoreError) {
                keys = try await store.keys()
            } catch { throw CommandFailure(error) }
            for key in keys { try Console.print(Self.line(key, at: system.now)) }
        case .revoke(let id):
            let key: KeyRecord
            do throws(StoreError) {
                key = try await store.revokeKey(id, at: system.now)
            } catch { throw CommandFailure(error) }
            try Console.print("revoked \(key.id) (\(key.name))")
        }
    }

    /// Prints the key before storing it: a key that no one has must not be valid.
    private func create(_ key: APIKey, in store: any KeyStore) async throws(CommandFailure) {
        try Console.print(key.text)
        do throws(StoreError) {
            try await store.createKey(key.record)
        } catch {
            let failure = CommandFailure(error)
            throw CommandFailure(
                failure.status, "\(failure.message); the key that was printed does not work")
        }
    }

    private static func line(_ key: KeyRecord, at now: Timestamp) -> String {
        let state =
            if let time = key.revokedAt { "revoked \(time)" } else if let time = key.expiresAt {
                (time <= now ? "expired \(time)" : "expires \(time)")
            } else { "live" }
        let owner = key.owner.map { "\tfor \($0)" } ?? ""
        return "\(key.id)  \(key.role)\t\(key.createdAt)  \(state)\t\(key.name)\(owner)"
    }
}
