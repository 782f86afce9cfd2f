import ArticleDatabase
import ArticleStore
import Glibc
import Platform

/// Moves a database from one engine to the other.
struct MigrateCommand: Command {
    static let name = "migrate"
    static let summary = "Moves a database file to PostgreSQL, or back."
    static let usage = "--from DATABASE --to DATABASE [options]"
    static let example =
        "broadsheet migrate --from broadsheet.db --to postgresql://broadsheet@localhost/news"
    static let options = [
        Option("from", "DATABASE", "Database file or postgresql:// URL to copy; it is kept."),
        Option("to", "DATABASE", "Where to copy it: an empty database, or a file to be created."),
        CommonOptions.config,
    ]

    private enum Direction {
        case toServer(file: String, PostgresAddress)
        case toFile(PostgresAddress, file: String)
    }

    private let direction: Direction

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.rejectOperands()
        guard let source = settings.text("from"), let target = settings.text("to") else {
            throw CommandFailure(.usage, "migrate needs --from and --to")
        }
        do throws(StoreOpeningError) {
            switch (PostgresAddress.isAddress(source), PostgresAddress.isAddress(target)) {
            case (false, true): direction = .toServer(file: source, try PostgresAddress(target))
            case (true, false): direction = .toFile(try PostgresAddress(source), file: target)
            case (true, true):
                throw .failed(
                    path: target, reason: "from PostgreSQL to PostgreSQL, use its own tools")
            case (false, false):
                throw .failed(
                    path: target, reason: "from a file to a file, use backup and restore")
            }
        } catch { throw CommandFailure(.usage, error.description) }
    }

    func run() async throws(CommandFailure) {
        let bar = Lock(ProgressBar())
        defer { bar.withLock { $0.clear() } }
        let progress = { @Sendable (step: MigrationProgress) in
            bar.withLock { $0.show(step) }
        }
        let report: MigrationReport
        let place: String
        switch direction {
        case .toServer(let file, let address):
            place = address.text
            report = try migrating {
                try EngineMigration.copy(file: file, to: address, progress: progress)
            }
        case .toFile(let address, let path):
            place = path
            report = try copy(address, to: path, progress)
        }
        bar.withLock { $0.clear() }
        for table in report.tables where table.rows > 0 {
            try Console.print("\(table.name): \(table.rows) rows, \(table.digest)")
        }
        let count = report.tables.count
        Console.printStatus(
            "\(place): \(count) tables are the same, up to change \(report.sequence)\n"
        )
    }

    /// The file appears at its path when it is complete.
    private func copy(
        _ address: PostgresAddress, to path: String,
        _ progress: @escaping @Sendable (MigrationProgress) -> Void
    ) throws(CommandFailure) -> MigrationReport {
        let place: DatabasePlace
        do throws(StoreOpeningError) { place = try DatabasePlace(path: path) } catch {
            throw CommandFailure(error)
        }
        guard !place.isTaken else { throw CommandFailure(MigrationError.occupied(path)) }
        let copy = try BackupFile(for: place.path)
        let report = try migrating {
            try EngineMigration.copy(
                address, to: CopyDestination(path: copy.partial), isOwned: true,
                progress: progress)
        }
        do throws(StoreOpeningError) {
            try place.put(copy.partial, keepingOldAs: place.path + ".empty")
        } catch { throw CommandFailure(error) }
        return report
    }

    private func migrating<Value>(_ body: () throws -> Value) throws(CommandFailure) -> Value {
        do { return try body() } catch { throw CommandFailure(ofMigration: error) }
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

extension CommandFailure {
    init(ofMigration error: any Error) {
        self =
            switch error {
            case let error as CommandFailure: error
            case let error as StoreOpeningError: CommandFailure(error)
            case let error as MigrationError: CommandFailure(error)
            case let error as StoreError: CommandFailure(error)
            default: CommandFailure(.software, "\(error)")
            }
    }

    init(_ error: MigrationError) {
        let status: ExitStatus =
            switch error {
            case .occupied: .cannotCreate
            case .differs: .dataError
            case .overtaken: .unavailable
            }
        self.init(status, error.description)
    }
}
