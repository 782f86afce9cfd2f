import ArticleDatabase
import ArticleStore
import BroadsheetCommandLine
import BroadsheetPlatform
import BroadsheetSockets
import Glibc

/// Moves a database from one engine to the other.
struct MigrateCommand: Command {
    static let name = "migrate"
    static let summary = "Moves a database file to PostgreSQL, or back, even while it is served."
    static let usage = "--from DATABASE --to DATABASE [options]"
    static let example =
        "broadsheet migrate --from broadsheet.db --to postgresql://broadsheet@localhost/news"
    static let options = [
        Option("from", "DATABASE", "Database file or postgresql:// URL to copy; it is kept."),
        Option("to", "DATABASE", "Destination: an empty database, or a file that will be created."),
        CommonOptions.config,
    ]

    private enum Direction {
        case toServer(file: String, PostgresAddress)
        case toFile(PostgresAddress, file: String)
    }

    private let source: String
    private let target: String
    private let direction: Direction
    /// The server makes indexes without a word.
    private static let timeoutSeconds = 3_600

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.rejectOperands()
        guard let source = settings.text("from"), let target = settings.text("to") else {
            throw CommandFailure(.usage, "migrate needs --from and --to")
        }
        self.source = source
        self.target = target
        let isFromServer = PostgresAddress.isAddress(source)
        guard isFromServer != PostgresAddress.isAddress(target) else {
            throw CommandFailure(MigrationError.sameEngine)
        }
        do throws(StoreOpeningError) {
            direction =
                isFromServer
                ? .toFile(try PostgresAddress(source), file: target)
                : .toServer(file: source, try PostgresAddress(target))
        } catch { throw CommandFailure(.usage, error.description) }
    }

    /// The name of a database that means the same to a server in another folder.
    static func absolute(_ database: String) -> String {
        PostgresAddress.isAddress(database) ? database : Files.place(database)
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        let bar = Lock(ProgressBar())
        defer { bar.withLock { $0.clear() } }
        let channel = try ControlChannel.open(
            ofDatabase: source, for: MigrationMessage.protocolName,
            timeoutSeconds: Self.timeoutSeconds)
        if let channel { return try watch(channel, bar) }
        let report: MigrationReport
        switch direction {
        case .toServer(let file, let address):
            report = try Self.migrating {
                try EngineMigration.copy(file: file, to: address, system: system) { step in
                    bar.withLock { $0.show(step) }
                }
            }
        case .toFile(let address, let path): report = try copy(address, to: path, bar, system)
        }
        MovedDatabaseNote.forget(target)
        bar.withLock { $0.clear() }
        for table in report.tables where table.rows > 0 {
            try Console.print("\(table.name): \(table.rows.counted("row")), \(table.digest)")
        }
        conclude(tables: report.tables.count, sequence: report.sequence)
    }

    private func conclude(tables: Int, sequence: Int64) {
        Console.printStatus("\(target): \(tables) tables are identical up to change \(sequence)\n")
    }

    // MARK: Without a server

    /// The file appears at its path when it is complete.
    private func copy(
        _ address: PostgresAddress, to path: String, _ bar: Lock<ProgressBar>,
        _ system: SystemEnvironment
    ) throws(CommandFailure) -> MigrationReport {
        let place: DatabaseReplacement
        do throws(StoreOpeningError) { place = try DatabaseReplacement(path: path) } catch {
            throw CommandFailure(error)
        }
        guard !place.isTaken else { throw CommandFailure(MigrationError.occupied(path)) }
        let copy = try BackupFile(for: place.path)
        let report = try Self.migrating {
            try EngineMigration.copy(
                address, to: CopyDestination(path: copy.partial), isOwned: true,
                system: system
            ) { step in
                bar.withLock { $0.show(step) }
            }
        }
        do throws(StoreOpeningError) {
            try place.put(copy.partial, keepingOldAs: place.path + ".empty")
        } catch { throw CommandFailure(error) }
        return report
    }

    private static func migrating<Value>(
        _ body: () throws -> Value
    ) throws(CommandFailure) -> Value {
        do { return try body() } catch { throw CommandFailure(ofMigration: error) }
    }

    // MARK: By the server of the source

    /// Asks the server to move, and shows its progress.
    private func watch(
        _ channel: DescriptorChannel, _ bar: Lock<ProgressBar>
    ) throws(CommandFailure) {
        var isFollowing = false
        do throws(SystemError) { try channel.send(.to(Self.absolute(target))) } catch {
            throw CommandFailure(.unavailable, "\(source): \(error)")
        }
        while true {
            let line: String?
            do throws(SystemError) { line = try channel.receiveLine() } catch {
                throw CommandFailure(.unavailable, "\(source): \(error)")
            }
            guard let line else {
                throw CommandFailure(
                    .unavailable, "\(source): the server exited during the migration")
            }
            switch UpgradeMessage(line) {
            case .serving(let process):
                try Console.print("process \(process) serves")
                return Console.printStatus(
                    "name \(target) in the configuration before the next start; servers reject "
                        + "\(source) from now on, but it is kept unchanged\n")
            case .failed(let reason): throw CommandFailure(.unavailable, "\(source): \(reason)")
            case nil: break
            }
            guard let message = MigrationMessage(line) else { continue }
            if case .following(_, let milliseconds) = message, !isFollowing {
                isFollowing = true
                bar.withLock { $0.clear() }
                let seconds = (milliseconds + 999) / 1_000
                Console.printStatus(
                    "\(target) follows within \(seconds) s; broadsheet upgrade --from \(source) "
                        + "--database \(target) serves it\n")
            }
            try show(message, bar)
        }
    }

    private func show(
        _ message: MigrationMessage, _ bar: Lock<ProgressBar>
    ) throws(CommandFailure) {
        switch message {
        case .copying(let rows, let total):
            bar.withLock { $0.show(.copying(rows: rows, of: total)) }
        case .indexing: bar.withLock { $0.show(.indexing) }
        case .verifying: bar.withLock { $0.show(.verifying) }
        case .catchingUp(let rows): bar.withLock { $0.show(1, of: 1, rows.counted("changed row")) }
        case .following, .to: break
        case .same(let table, let rows, let digest):
            bar.withLock { $0.clear() }
            try Console.print("\(table): \(rows.counted("row")), \(digest)")
        case .moved(let tables, let sequence): conclude(tables: tables, sequence: sequence)
        }
    }
}

extension ProgressBar {
    mutating func show(_ step: MigrationProgress) {
        switch step {
        case .copying(let rows, let total): show(rows, of: total, "copying")
        case .indexing: show(1, of: 1, "indexing")
        case .verifying: show(1, of: 1, "verifying")
        }
    }
}
