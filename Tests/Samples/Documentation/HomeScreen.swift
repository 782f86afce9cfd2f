import BroadsheetKit

/// What a screen needs, two requests at a time; leaving the screen cancels the rest.
final class HomeScreen: Sendable {
    private let queue = NetworkQueue(width: 2)

    func load(from backend: BackendService) async throws(BackendError) -> [Article] {
        let tags = ServiceOperation(FetchTagsRequest(), on: backend, priority: .high)
        let articles = ServiceOperation(
            FetchArticlesRequest(), on: backend, group: "home", after: [tags.operation])
        queue.add(tags)
        queue.add(articles)
        return try await articles.value().items
    }

    func leave() { queue.cancelAll(group: "home") }
}
