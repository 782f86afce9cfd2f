import ArticleDatabase
import ArticleImportExport
import ArticleServices
import ArticleStore
import BroadsheetCommandLine
import BroadsheetPlatform
import Glibc

/// Writes the whole content of a database, so that `import` can restore it.
struct ExportCommand: Command {
    static let name = "export"
    static let summary = "Exports articles with their history, users and comments as NDJSON."
    static let usage = "PATH [options]"
    static let example = "broadsheet export everything.ndjson"
    static let options = CommonOptions.ofDatabase

    /// The destination; `-` is standard output.
    let path: String
    let database: String

    init(_ settings: Settings) throws(CommandFailure) {
        path = try settings.operand("export needs one PATH, or - for standard output")
        database = settings.database
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        if path != "-" { try Database.protect(database, from: path) }
        try await Database.with(database, mode: .existing, in: system) {
            (database) throws(CommandFailure) in
            try await export(database)
        }
    }

    private func export(_ database: Database) async throws(CommandFailure) {
        guard path != "-" else {
            _ = try await write(database, to: STDOUT_FILENO)
            return
        }
        let file = try NewFile(path)
        let report = try await write(database, to: file.descriptor)
        try file.keep()
        let people = CountedPeople(
            users: report.users, comments: report.comments, bookmarks: report.bookmarks)
        let counts = [report.articles.counted("article"), report.revisions.counted("revision")]
        Console.printStatus(
            "\(path): \((counts + people.phrases).joined(separator: ", "))\n")
    }

    private func write(
        _ database: Database, to descriptor: Int32
    ) async throws(CommandFailure) -> ExportReport {
        let bar = Lock(ProgressBar())
        defer { bar.withLock { $0.clear() } }
        switch database {
        case .opened(let store):
            do throws(InterchangeError) {
                return try await Exporter(store: store).write(to: descriptor) { progress in
                    bar.withLock {
                        $0.show(
                            progress.articles, of: progress.total,
                            progress.articles.counted("article"))
                    }
                }
            } catch { throw CommandFailure(error) }
        case .served(let owner):
            return try await owner.export(to: descriptor) { done, total in
                bar.withLock { $0.show(done, of: total, "\(done >> 10) KiB") }
            }
        }
    }
}

/// Users, comments and bookmarks in an export, for a message.
struct CountedPeople {
    let users: Int
    let comments: Int
    let bookmarks: Int

    /// `1 user`, `3 comments`; without those of which there are none.
    var phrases: [String] {
        [(users, "user"), (comments, "comment"), (bookmarks, "bookmark")]
            .filter { $0.0 > 0 }
            .map { count, name in count.counted(name) }
    }
}
