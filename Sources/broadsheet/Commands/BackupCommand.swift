import ArticleStore
import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Copies the database into a file of its own, also while it is served.
struct BackupCommand: Command {
    static let name = "backup"
    static let summary = "Copies the database, also while it is served, and verifies the copy."
    static let usage = "PATH [options]"
    static let example = "broadsheet backup /var/backups/broadsheet.db"
    static let options = [
        Option("overwrite", nil, "replaces what is at PATH"),
        CommonOptions.database, CommonOptions.config,
    ]

    let path: String
    let database: String
    let overwrites: Bool

    init(_ settings: Settings) throws(CommandFailure) {
        guard settings.operands.count == 1 else {
            throw CommandFailure(.usage, "backup needs one PATH, where the copy goes")
        }
        path = settings.operands[0]
        database = settings.database
        overwrites = try settings.isOn("overwrite")
    }

    func run() async throws(CommandFailure) {
        try refuseUnlessFree()
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
        try refuseUnlessFree()
        try copy.keep()
        bar.withLock { $0.clear() }
        Console.tell("\(path): \(report.articles) articles, \(report.revisions) revisions\n")
    }

    private func refuseUnlessFree() throws(CommandFailure) {
        try Database.protect(database, from: path)
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw CommandFailure(.cannotCreate, "\(path) is no file")
            }
            guard overwrites else {
                throw CommandFailure(
                    .cannotCreate, "\(path) is there already; --overwrite replaces it")
            }
        }
        // They would be taken for the copy's.
        for ending in ["-wal", "-journal"] where Files.exist(path + ending) {
            throw CommandFailure(
                .cannotCreate, "\(path) is in use as a database: \(path)\(ending) is there")
        }
    }

    /// The owner makes a copy first, beside the database; then it comes over.
    private func fetch(
        _ descriptor: Int32, from owner: ControlClient, _ bar: Lock<ProgressBar>
    ) async throws(CommandFailure) {
        let isComing = Lock(false)
        async let watch: Void = {
            // Without anybody to look at it, nobody is asked.
            while Console.errorIsTerminal, !isComing.withLock({ $0 }) {
                if let progress = await owner.backupProgress() {
                    bar.withLock { $0.show(progress.pages, of: progress.total, "copying") }
                }
                try? await Task.sleep(for: .milliseconds(100))
            }
        }()
        let result: Result<Void, CommandFailure>
        do throws(CommandFailure) {
            try await owner.backUp(to: descriptor) { done, total in
                isComing.withLock { $0 = true }
                bar.withLock { $0.show(done, of: total, "\(done >> 10) KiB") }
            }
            result = .success(())
        } catch { result = .failure(CommandFailure(error.status, "\(path): \(error.message)")) }
        isComing.withLock { $0 = true }
        await watch
        try result.get()
    }
}
