import ArticleDatabase
import ArticleStore
import BroadsheetCommandLine
import BroadsheetPlatform
import BroadsheetSockets
import Glibc

/// Copies the database to another file, even while it is being served.
struct BackupCommand: Command {
    static let name = "backup"
    static let summary =
        "Backs up the database, even while it is being served, and verifies the copy."
    static let usage = "PATH [options]"
    static let example = "broadsheet backup /var/backups/broadsheet.db"
    static let options =
        [Option("overwrite", nil, "Replace an existing file at PATH.")] + CommonOptions.ofDatabase

    let path: String
    let database: String
    let overwrites: Bool

    init(_ settings: Settings) throws(CommandFailure) {
        path = try settings.operand("backup needs one PATH for the copy")
        database = settings.database
        overwrites = try settings.isOn("overwrite")
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        try checkDestination()
        let bar = Lock(ProgressBar())
        defer { bar.withLock { $0.clear() } }
        let copy = try BackupFile(for: path)
        if PostgresAddress.isAddress(database) {
            // It is read beside its server, wherever that is.
            try copy.take(fromServer: database, in: system) { step in bar.withLock { $0.show(step) }
            }
        } else if let owner = await ControlClient(ofDatabase: database) {
            try await fetch(copy.descriptor, from: owner, bar, system)
        } else {
            let found = try await Database.find(database, in: system) {
                () throws(StoreOpeningError) in
                try copy.take(from: database) { progress in
                    bar.withLock { $0.show(progress.pages, of: progress.total, "copying") }
                }
            }
            if case .served(let owner) = found {
                try await fetch(copy.descriptor, from: owner, bar, system)
            }
        }
        bar.withLock { $0.show(1, of: 1, "verifying") }
        let report = try copy.verify(database)
        try checkDestination()
        try copy.keep()
        BackupRecord.note(database)
        bar.withLock { $0.clear() }
        Console.printStatus(
            "\(path): \(report.articles.counted("article")), "
                + "\(report.revisions.counted("revision"))\n")
    }

    private func checkDestination() throws(CommandFailure) {
        try Database.protect(database, from: path)
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw CommandFailure(.cannotCreate, "\(path) is not a regular file")
            }
            guard overwrites else {
                throw CommandFailure(
                    .cannotCreate, "\(path) already exists; --overwrite replaces it")
            }
        }
        // SQLite would read these files as part of the copy.
        for ending in ["-wal", "-journal"] where Files.exist(path + ending) {
            throw CommandFailure(
                .cannotCreate, "\(path) is in use as a database: \(path)\(ending) exists")
        }
    }

    /// The owner first makes a copy next to the database, then streams it.
    private func fetch(
        _ descriptor: Int32, from owner: ControlClient, _ bar: Lock<ProgressBar>,
        _ system: SystemEnvironment
    ) async throws(CommandFailure) {
        let isStreaming = Lock(false)
        async let watch: Void = {
            // Without a terminal there is no progress to show, so none is requested.
            while Console.errorIsTerminal, !isStreaming.withLock({ $0 }) {
                if let progress = await owner.backupProgress() {
                    bar.withLock { $0.show(progress.pages, of: progress.total, "copying") }
                }
                await system.sleep(.milliseconds(100))
            }
        }()
        let result: Result<Void, CommandFailure>
        do throws(CommandFailure) {
            try await owner.backUp(to: descriptor) { done, total in
                isStreaming.withLock { $0 = true }
                bar.withLock { $0.show(done, of: total, "\(done >> 10) KiB") }
            }
            result = .success(())
        } catch { result = .failure(CommandFailure(error.status, "\(path): \(error.message)")) }
        isStreaming.withLock { $0 = true }
        await watch
        try result.get()
    }
}

/// A copy of a database that appears at its path only when it is complete and verified.
///
/// It is written to a temporary file that only its owner can read, and that is removed on any
/// failure, including SIGINT and SIGTERM.
struct BackupFile: ~Copyable {
    private let file: NewFile
    private let signals: ShutdownSignals

    /// The path of the temporary file.
    var partial: String { file.place }
    var descriptor: Int32 { file.descriptor }

    init(for path: String) throws(CommandFailure) {
        // The handlers come first, so that no signal can leave a file behind.
        let partial = Lock<String?>(nil)
        signals = ShutdownSignals { _ in
            if let partial = partial.withLock({ $0 }) { Self.remove(partial) }
            _exit(ExitStatus.cutShort.rawValue)
        }
        let file = try NewFile(path)
        partial.withLock { $0 = file.place }
        self.file = file
    }

    deinit { Self.remove(file.place) }

    /// Removes the file, and those that SQLite may have created next to it.
    private static func remove(_ partial: String) {
        for ending in ["", "-wal", "-shm", "-journal"] { unlink(partial + ending) }
    }

    /// Copies a database that is not being served.
    func take(from path: String, _ progress: (CopyProgress) -> Void) throws(StoreOpeningError) {
        let destination: CopyDestination
        do throws(StoreError) { destination = try CopyDestination(path: partial) } catch {
            throw StoreOpeningError(error, at: partial)
        }
        try SQLiteStore.copy(path, to: destination, progress: progress)
    }

    /// Copies a PostgreSQL database, as of one committed state.
    func take(
        fromServer url: String, in system: SystemEnvironment,
        _ progress: @escaping @Sendable (MigrationProgress) -> Void
    ) throws(CommandFailure) {
        do {
            _ = try EngineMigration.copy(
                PostgresAddress(url), to: CopyDestination(path: partial), isOwned: false,
                system: system, progress: progress)
        } catch { throw CommandFailure(ofMigration: error) }
    }

    /// Verifies the copy, and flushes it.
    /// - Parameter source: the path that a failure names.
    func verify(_ source: String) throws(CommandFailure) -> CheckReport {
        let report: CheckReport
        do throws(StoreOpeningError) {
            report = try SQLiteStore.settle(copy: partial)
        } catch .foreign {
            throw CommandFailure(StoreOpeningError.foreign(path: source))
        } catch .newer(_, let version, let known) {
            throw CommandFailure(
                StoreOpeningError.newer(path: source, version: version, known: known))
        } catch .unsupported(_, let version) {
            throw CommandFailure(StoreOpeningError.unsupported(path: source, version: version))
        } catch { throw CommandFailure(error) }
        guard report.isClean else {
            for finding in report.findings { Console.printError(finding) }
            throw CommandFailure(
                .dataError,
                "\(source): \(report.findings.count.counted("finding")); the copy was discarded")
        }
        guard fsync(descriptor) == 0 else {
            throw Files.failure("cannot write \(partial)", .ioError)
        }
        return report
    }

    /// Moves the copy to its path, durably.
    func keep() throws(CommandFailure) { try file.keep() }
}
