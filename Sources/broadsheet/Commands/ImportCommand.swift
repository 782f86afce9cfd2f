import ArticleAPI
import ArticleDatabase
import ArticleImportExport
import ArticleServices
import ArticleStore
import BroadsheetCommandLine
import BroadsheetPlatform

/// Imports Markdown posts, articles as JSON lines, exports, and those of WordPress and Ghost.
struct ImportCommand: Command {
    static let name = "import"
    static let summary =
        "Imports posts, JSON lines and exports, also from WordPress and Ghost; repeatable."
    static let usage = "PATH… [options]"
    static let example = "broadsheet import posts/ --language en --dry-run"
    static let options = [
        Option(
            "language", "TAG", "Language (BCP 47) of articles that do not specify one.",
            default: "en"),
        Option(
            "site-url", "URL",
            "URL of the site, which makes relative URLs in a Ghost export absolute."),
        Option("dry-run", nil, "Report what would be imported without changing anything."),
        Option("as-drafts", nil, "Import everything as drafts, whatever its status is."),
        Option(
            "restore-deleted", nil, "Restore articles that were deleted here since their import."),
        CommonOptions.database, CommonOptions.config,
    ]

    /// Omissions do not fail the import; a few of them are enough as examples.
    private static let shownOmissions = 5

    let paths: [String]
    let language: LanguageTag
    let isDryRun: Bool
    let isAsDrafts: Bool
    let restoresDeleted: Bool
    let siteURL: String?
    let database: String

    init(_ settings: Settings) throws(CommandFailure) {
        guard !settings.operands.isEmpty else {
            throw CommandFailure(
                .usage, "import needs at least one PATH: a folder, .md, .ndjson, .xml or .json file"
            )
        }
        paths = settings.operands
        language = try settings.language("language", default: "en")
        isDryRun = try settings.isOn("dry-run")
        isAsDrafts = try settings.isOn("as-drafts")
        restoresDeleted = try settings.isOn("restore-deleted")
        siteURL = try settings.parsed("site-url", expecting: "an absolute http(s) URL") {
            WebAddress.fault($0) == nil ? $0 : nil
        }
        database = settings.database
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        // A dry run must not create the database.
        let trial = isDryRun && !Files.exist(database) ? try ScratchDatabase() : nil
        defer { trial?.remove() }
        let report = try await Database.with(trial?.path ?? database, mode: .create, in: system) {
            (database) throws(CommandFailure) in
            try await take(into: database.importDestination, system)
        }
        try printReport(report)
    }

    private func take(
        into store: any ImportDestination, _ system: SystemEnvironment
    ) async throws(CommandFailure) -> ImportReport {
        let importer = Importer(
            store: store, language: language, isDryRun: isDryRun, isAsDrafts: isAsDrafts,
            restoresDeleted: restoresDeleted, siteURL: siteURL, system: system)
        var bar = ProgressBar()
        defer { bar.clear() }
        do throws(InterchangeError) {
            return try await importer.run(paths) { progress in
                bar.show(progress.done, of: progress.total, progress.articles.counted("article"))
            }
        } catch { throw CommandFailure(error) }
    }

    private func printReport(_ report: ImportReport) throws(CommandFailure) {
        for omission in report.omissions.prefix(Self.shownOmissions) {
            Console.printError("note: \(omission)")
        }
        if report.leftOut > Self.shownOmissions {
            Console.printError("note: \(report.leftOut - Self.shownOmissions) more were left out")
        }
        if report.deletedHere > 0 {
            Console.printError("note: --restore-deleted restores what was deleted here")
        }
        for failure in report.failures { Console.printError("\(failure)") }
        try Console.print((isDryRun ? "would be: " : "") + Self.summary(report))
        guard report.failed == 0 else {
            throw CommandFailure(.dataError, "\(report.failed) could not be imported")
        }
    }

    /// `207 articles: 200 created, 7 unchanged`, or `nothing changed (207 articles)`; and then
    /// `3 users, 1 comment` if there are any.
    static func summary(_ report: ImportReport) -> String {
        let people = CountedPeople(
            users: report.users, comments: report.comments, bookmarks: report.bookmarks)
        let articles = articleSummary(report)
        guard !people.phrases.isEmpty else { return articles }
        return "\(articles); \(people.phrases.joined(separator: ", "))"
    }

    private static func articleSummary(_ report: ImportReport) -> String {
        let counts = [
            (report.created, "created"), (report.updated, "updated"),
            (report.restored, "restored"), (report.unchanged, "unchanged"),
            (report.keptEdits, "kept as edited here"), (report.deletedHere, "deleted here"),
        ].filter { $0.0 > 0 }
        let articles = report.articles.counted("article")
        if report.articles == 0 { return "no articles" }
        if report.unchanged == report.articles { return "nothing changed (\(articles))" }
        return "\(articles): " + counts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
}

extension CommandFailure {
    init(_ error: InterchangeError) {
        switch error {
        case .store(let cause): self.init(cause)
        case .output, .cancelled: self.init(.ioError, "\(error)")
        }
    }
}
