import ArticleAPI
import ArticleClient
import ArticleStore
import BroadsheetCommandLine
import BroadsheetPlatform

/// Prints the changes of a backend's articles as they happen, until a signal ends it.
struct WatchCommand: Command {
    static let name = "watch"
    static let summary = "Prints what changes on a backend, as it happens, until it is interrupted."
    static let usage = "[options]"
    static let example = "broadsheet watch --tag swift --server https://articles.example.org"
    static let options =
        ArticleFilter.options() + [
            Option("since", "TOKEN", "Start from this token instead of now.")
        ] + Session.options

    let request: FetchChangesRequest
    let session: Session

    init(_ settings: Settings) throws(CommandFailure) {
        guard settings.operands.isEmpty else {
            throw CommandFailure(.usage, "watch accepts options only; see --help")
        }
        let filter = try ArticleFilter(settings)
        // Pages of one change, so that each has a token.
        request = FetchChangesRequest(
            since: settings.text("since") ?? FetchChangesRequest.now, limit: 1, tags: filter.tags,
            author: filter.author, language: filter.language, status: filter.status)
        session = try Session(settings, observers: [Self.reportInterruption])
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        let output = ChangeOutput(session)
        var token = request.since
        while true {
            let live = session.backend.liveChanges(from: token, matching: request)
            var steps = live.makeAsyncIterator()
            while case .page(let page) = try await Self.next(&steps) {
                for change in page.changes {
                    try output.show(change, token: page.next, at: system.now)
                }
            }
            Console.printError("the token is no longer valid; continuing from now")
            token = FetchChangesRequest.now
        }
    }

    private static func next(
        _ steps: inout LiveChanges.Iterator
    ) async throws(CommandFailure) -> SyncStep? {
        do throws(BackendError) {
            return try await steps.next(isolation: #isolation)
        } catch { throw CommandFailure(error) }
    }

    private static func reportInterruption(_ event: BackendEvent) {
        guard case .retried(let delay, let error) = event.kind else { return }
        let seconds = Int((delay / .seconds(1)).rounded(.up))
        let wait = seconds > 0 ? " in \(seconds) s" : ""
        Console.printError("interrupted: \(error); trying again\(wait)")
    }
}
