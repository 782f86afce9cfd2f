import ArticleStore
import Platform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Copies the database to another file, even while it is being served.
struct BackupCommand: Command {
    static let name = "backup"
    static let summary =
        "Backs up the database, even while it is being served, and verifies the copy."
    static let usage = "PATH [options]"
    static let example = "broadsheet backup /var/backups/broadsheet.db"
    static let options = [
        Option("overwrite", nil, "Replace an existing file at PATH."),
        CommonOptions.database, CommonOptions.config,
    ]

    let path: String
    let database: String
    let overwrites: Bool

    init(_ settings: Settings) throws(CommandFailure) {
        guard settings.operands.count == 1 else {
            throw CommandFailure(.usage, "backup needs one PATH for the copy")
        }
        path = settings.operands[0]
        database = settings.database
        overwrites = try settings.isOn("overwrite")
    }

    func run() async throws(CommandFailure) {
        try checkDestination()
        let bar = Lock(ProgressBar())
        defer { bar.withLock { $0.clear() } }
        let copy = try BackupFile(for: path)
        if let owner = await ControlClient(ofDatabase: database) {
            try await fetch(copy.descriptor, from: owner, bar)
        } else {
            try copy.take(from: database) { progress in
                bar.withLock { $0.show(progress.pages, of: progress.total, "copying") }
            }
        }
        bar.withLock { $0.show(1, of: 1, "verifying") }
        let report = try copy.verify(database)
        try checkDestination()
        try copy.keep()
        bar.withLock { $0.clear() }
        Console.printStatus("\(path): \(report.articles) articles, \(report.revisions) revisions\n")
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
        _ descriptor: Int32, from owner: ControlClient, _ bar: Lock<ProgressBar>
    ) async throws(CommandFailure) {
        let isStreaming = Lock(false)
        async let watch: Void = {
            // Without a terminal there is no progress to show, so none is requested.
            while Console.errorIsTerminal, !isStreaming.withLock({ $0 }) {
                if let progress = await owner.backupProgress() {
                    bar.withLock { $0.show(progress.pages, of: progress.total, "copying") }
                }
                try? await Task.sleep(for: .milliseconds(100))
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
