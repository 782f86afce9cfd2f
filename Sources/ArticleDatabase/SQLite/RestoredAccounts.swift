public import ArticleStore

/// The accounts that a backup revives, or gives a higher role, when it replaces a database.
public struct RestoredAccounts: Sendable {
    /// An account that can be used in the restored database, but could not be before.
    public struct Account: Sendable {
        public let user: UserRecord
        public let reason: Reason
    }

    /// The state of an account in the replaced database.
    public enum Reason: Sendable, Hashable {
        /// It does not exist.
        case missing
        case disabled
        /// It has this role, which is lower.
        case role(String)
        /// Nothing, as the database cannot be read.
        case unreadable
    }

    /// The first ones in the order of their ids, as there may be very many.
    public fileprivate(set) var first: [Account] = []
    /// The number of further ones.
    public fileprivate(set) var others = 0

    public static let most = 100

    public init() {}

    fileprivate mutating func add(_ account: Account) {
        if first.count < Self.most { first.append(account) } else { others += 1 }
    }
}

extension DatabaseReplacement {
    /// Compares the accounts in the copy with those of the database that it replaces.
    public func revivedAccounts(in copy: String) throws(StoreOpeningError) -> RestoredAccounts {
        var result = RestoredAccounts()
        guard isTaken else { return result }
        let replaced = ReplacedAccounts(of: file)
        do throws(StoreError) {
            let connection = try Connection(path: copy, access: .write)
            guard try connection.hasAccounts else { return result }
            let row = try connection.statement(SQL.enabledUsers)
            while try row.step() {
                let user = try StoredUser(row).record
                guard let reason = replaced.reason(toList: user) else { continue }
                result.add(RestoredAccounts.Account(user: user, reason: reason))
            }
        } catch { throw StoreOpeningError(error, at: copy) }
        return result
    }
}

/// The accounts of the database that is to be replaced, whatever its version and state.
private struct ReplacedAccounts {
    /// `nil` if the database is damaged, or is not a Broadsheet database.
    private let connection: Connection?

    private static let roles = ["reader", "author", "editor", "admin"]

    init(of file: DatabaseFile) { connection = try? file.reader() }

    /// Returns the reason why an enabled account of the backup has to be listed; `nil` if it could
    /// be used before with its role.
    func reason(toList user: UserRecord) -> RestoredAccounts.Reason? {
        do throws(StoreError) {
            guard let connection else { return .unreadable }
            guard try connection.hasAccounts else { return .missing }
            let row = try connection.statement(SQL.accessOfUser)
            try row.bind(1, user.id)
            guard try row.step() else { return .missing }
            guard row.integer(1) == 0 else { return .disabled }
            let role = row.text(0)
            return Self.rank(role) < Self.rank(user.role) ? .role(role) : nil
        } catch { return .unreadable }
    }

    /// A role that this version does not know is lower than all others.
    private static func rank(_ role: String) -> Int { roles.firstIndex(of: role) ?? -1 }
}

extension Connection {
    fileprivate var hasAccounts: Bool {
        get throws(StoreError) {
            let application = try DatabaseSchema.application(on: self)
            guard application == DatabaseSchema.applicationID else { return false }
            return try DatabaseSchema.version(on: self) >= DatabaseSchema.firstVersionWithAccounts
        }
    }
}

extension SQL {
    fileprivate static let enabledUsers: StaticString = """
        SELECT number, id, name, name_key, display_name, role, password_hash, is_disabled,
            created_at, updated_at, revision, access_epoch
        FROM users WHERE is_disabled = 0 ORDER BY id
        """
    fileprivate static let accessOfUser: StaticString =
        "SELECT role, is_disabled FROM users WHERE id = ?1"
}
