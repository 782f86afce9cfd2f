import BroadsheetKit

/// The titles of a screen, which follow the backend while it is shown.
@MainActor
final class LiveTitles {
    private(set) var titles: Titles
    private let backend: BackendService
    private var live: LiveChanges?

    init(_ titles: Titles, on backend: BackendService) {
        self.titles = titles
        self.backend = backend
    }

    /// Follows until its task is cancelled.
    func follow() async throws {
        let live = backend.liveChanges(from: titles.token, matching: Titles.filter)
        self.live = live
        for try await step in live { titles.apply(step) }
    }

    /// Closes the connection while the app is in the background.
    func scene(isActive: Bool) {
        if isActive { live?.resume() } else { live?.suspend() }
    }
}
