import BroadsheetKit

/// The articles of a screen, which follow the backend while it is shown.
@MainActor
final class LiveArticles {
    private(set) var copy: ArticleCopy
    private let backend: BackendService
    private var live: LiveChanges?

    init(_ copy: ArticleCopy, on backend: BackendService) {
        self.copy = copy
        self.backend = backend
    }

    /// Follows until its task is cancelled.
    func follow() async throws {
        let filter = FetchChangesRequest(tags: ["writing"])
        let live = backend.liveChanges(from: copy.token, matching: filter)
        self.live = live
        for try await step in live { copy.apply(step) }
    }

    /// Closes the connection while the app is in the background.
    func scene(isActive: Bool) {
        if isActive { live?.resume() } else { live?.suspend() }
    }
}
