import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetCommandLine
import BroadsheetPlatform
import Glibc

/// Replaces the database with a backup.
struct RestoreCommand: Command {
    static let name = "restore"
    static let summary = "Verifies a backup and replaces the database with it."
    static let usage = "BACKUP [options]"
    static let example = "broadsheet restore /var/backups/broadsheet.db"
    static let options =
        [
            Option("replace", nil, "Replace an existing database; the old one is renamed and kept.")
        ] + CommonOptions.ofDatabase

    let backup: String
    let database: String
    let replaces: Bool

    init(_ settings: Settings) throws(CommandFailure) {
        backup = try settings.operand("restore needs one BACKUP, made by broadsheet backup")
        database = settings.database
        replaces = try settings.isOn("replace")
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        guard !PostgresAddress.isAddress(database) else {
            throw CommandFailure(
                .usage,
                "restore replaces files; broadsheet migrate --from BACKUP puts a backup into an "
                    + "empty PostgreSQL database")
        }
        guard Files.resolved(backup) != Files.resolved(database) else {
            throw CommandFailure(.usage, "\(backup) is the database itself")
        }
        guard Files.exist(backup) else {
            throw CommandFailure(StoreOpeningError.missing(path: backup))
        }
        let place = try await place(in: system)
        guard replaces || !place.isTaken else {
            throw CommandFailure(
                .cannotCreate,
                "\(database) already exists; --replace puts the backup in its place and keeps it")
        }
        let bar = Lock(ProgressBar())
        defer { bar.withLock { $0.clear() } }
        let copy = try BackupFile(for: place.path)
        do throws(StoreOpeningError) {
            try copy.take(from: backup) { progress in
                bar.withLock { $0.show(progress.pages, of: progress.total, "copying") }
            }
        } catch { throw CommandFailure(error) }
        bar.withLock { $0.show(1, of: 1, "verifying") }
        let report = try copy.verify(backup)
        let aside = aside(place.path, at: system.now)
        let keys: RestoredKeys
        let accounts: RestoredAccounts
        do throws(StoreOpeningError) {
            keys = try place.carryRevocations(into: copy.partial, at: system.now)
            accounts = try place.revivedAccounts(in: copy.partial)
            try place.put(copy.partial, keepingOldAs: aside)
        } catch { throw CommandFailure(error) }
        MovedDatabaseNote.forget(database)
        bar.withLock { $0.clear() }
        Console.printStatus(
            "\(database): \(report.articles.counted("article")), "
                + "\(report.revisions.counted("revision"))\n")
        printChanges(of: keys)
        printChanges(of: accounts)
        if place.isTaken { Console.printStatus("the previous database is now \(aside)\n") }
    }

    private func printChanges(of keys: RestoredKeys) {
        for key in keys.revoked {
            Console.printStatus("key \(key.id) (\(key.role), \(key.name)) stays revoked\n")
        }
        let reason = keys.areKnown ? "has no such key" : "could not be read"
        for key in keys.revived {
            Console.printError(
                "key \(key.id) (\(key.role), \(key.name)) is valid again: the replaced database "
                    + "\(reason); broadsheet key revoke \(key.id) ends it")
        }
    }

    private func printChanges(of accounts: RestoredAccounts) {
        for account in accounts.first {
            let user = account.user
            let name = "account \(user.id) (\(user.role), \(user.name))"
            let disabling = "disable \(user.name)"
            let (change, command) =
                switch account.reason {
                case .missing:
                    ("exists again: the replaced database has no such account", disabling)
                case .disabled:
                    ("is enabled again: the replaced database has disabled it", disabling)
                case .role(let role):
                    (
                        "has this role again: in the replaced database it is \(role)",
                        "role \(user.name) \(role)"
                    )
                case .unreadable:
                    ("is enabled: the replaced database could not be read", disabling)
                }
            Console.printError(
                "\(name) \(change); broadsheet user \(command) changes this")
        }
        if accounts.others > 0 {
            Console.printError("the same goes for \(accounts.others) more accounts")
        }
    }

    /// Opens the database's place and holds the lock until the end, so that no process serves the
    /// file being replaced.
    private func place(in system: SystemEnvironment) async throws(CommandFailure)
        -> DatabaseReplacement
    {
        let found = try await Database.find(database, in: system) { () throws(StoreOpeningError) in
            try DatabaseReplacement(path: database)
        }
        switch found {
        case .opened(let place): return place
        case .served: throw CommandFailure(StoreOpeningError.owned(path: database))
        }
    }

    /// `broadsheet.db.before-20261121T130500Z`, with `-2` and so on appended if that exists.
    private func aside(_ path: String, at now: Timestamp) -> String {
        let time = now.description.prefix(19).filter { $0 != "-" && $0 != ":" }
        let name = "\(path).before-\(time)Z"
        var free = name
        var number = 1
        while access(free, F_OK) == 0 {
            number += 1
            free = "\(name)-\(number)"
        }
        return free
    }
}
