import ArticleAPI
import ArticleClient
import BroadsheetCommandLine
import BroadsheetPlatform

/// Searches the published articles of a local or remote backend through the SDK.
struct SearchCommand: Command {
    static let name = "search"
    static let summary = "Searches the published articles of a backend."
    static let usage = "[options] [--] WORD…"
    static let example = "broadsheet search swift 구조체 --server http://localhost:8080"
    static let options =
        ArticleFilter.contentOptions() + [
            Option("source", "NAME", "Only articles from this source."),
            PageOptions.limit(), PageOptions.cursor(),
        ] + Session.options

    let request: SearchArticlesRequest
    let session: Session

    init(_ settings: Settings) throws(CommandFailure) {
        guard !settings.operands.isEmpty else {
            throw CommandFailure(.usage, "search \(Self.usage); see --help")
        }
        let filter = try ArticleFilter(settings)
        request = SearchArticlesRequest(
            query: settings.operands.joined(separator: " "), limit: try settings.limit(),
            cursor: settings.text("cursor"), tags: filter.tags, author: filter.author,
            language: filter.language, source: settings.text("source"))
        session = try Session(settings)
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        try SearchOutput(session).show(try await session.ask(request))
    }
}
