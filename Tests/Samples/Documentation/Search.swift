import BroadsheetKit

/// Filters a list while its user types.
@MainActor final class TagFilter {
    private(set) var articles: [Article] = []
    private let latest: SupersedingRequests

    init(_ backend: BackendService) {
        latest = SupersedingRequests(backend, pause: .milliseconds(250))
    }

    func show(tag: String) async {
        do throws(BackendError) {
            articles = try await latest.send(FetchArticlesRequest(tag: tag)).items
        } catch {
            // Every question but the last is stopped: the list stays as it is.
            if !error.isStopped { articles = [] }
        }
    }
}
