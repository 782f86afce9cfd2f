import ArticleAPI
import ArticleClient
import BroadsheetCommandLine
import BroadsheetPlatform

/// Keeps a folder of Markdown files equal to the articles of a backend that the caller sees.
struct SyncCommand: Command {
    static let name = "sync"
    static let summary = "Mirrors the articles of a backend in a folder of Markdown files."
    static let usage = "DIRECTORY [options]"
    static let example = "broadsheet sync posts --tag swift --server https://articles.example.org"
    static let options =
        ArticleFilter.options() + [
            Option(
                "force", nil,
                "Overwrite and remove files of sync even if they were changed locally.")
        ] + Session.options

    let path: String
    let filter: ArticleFilter
    let force: Bool
    let server: BaseURL
    let session: Session

    init(_ settings: Settings) throws(CommandFailure) {
        path = try settings.operand("sync needs one DIRECTORY")
        filter = try ArticleFilter(settings)
        force = try settings.isOn("force")
        server = try Session.server(settings)
        session = try Session(settings)
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        let request = FetchChangesRequest(
            tags: filter.tags, author: filter.author, language: filter.language,
            status: filter.status)
        var run = try SyncRun(
            SyncFolder(path), backend: session.backend, server: server.description,
            filter: request, force: force
        ) { Console.printStatus("\($0)\n") }
        let report = try await run.run()
        try show(report)
        guard report.kept == 0 else {
            let files = report.kept.counted("file") + (report.kept == 1 ? " differs" : " differ")
            throw CommandFailure(.dataError, "\(files) from the backend's articles")
        }
    }

    private func show(_ report: SyncRun.Report) throws(CommandFailure) {
        guard !session.isJSON else {
            return try Console.print(String(decoding: report.json(), as: UTF8.self))
        }
        var line = "\(report.written) written, \(report.removed) removed"
        line += ", \(report.unchanged) unchanged"
        if report.kept > 0 { line += ", \(report.kept) kept" }
        try Console.print(line)
    }
}

extension SyncRun.Report: JSONModel {
    static let shape = ObjectCodec(
        Self.init(written:removed:unchanged:kept:),
        .required("written", \.written, .integer(0...Int.max)),
        .required("removed", \.removed, .integer(0...Int.max)),
        .required("unchanged", \.unchanged, .integer(0...Int.max)),
        .required("kept", \.kept, .integer(0...Int.max)))
}
