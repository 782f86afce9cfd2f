import BroadsheetKit

/// Searches while its user types, with and without a network.
@MainActor final class SearchField {
    private(set) var found = SearchPage<Article>(items: [])
    /// Whether only this device was searched.
    private(set) var isOffline = false
    private let library: OfflineLibrary
    private let latest: SupersedingRequests

    init(_ library: OfflineLibrary) {
        self.library = library
        latest = SupersedingRequests(library.backend, pause: .milliseconds(250))
    }

    /// The text has changed.
    func type(_ text: String) async {
        let request = SearchArticlesRequest(query: text)
        let options = RequestOptions(freshness: .orCached())
        do throws(BackendError) {
            let reply = try await latest.run { [library] () async throws(BackendError) in
                try await library.backend.reply(to: request, options: options)
            }
            (found, isOffline) = (reply.item, reply.staleReason != nil)
        } catch {
            // Every search but the last is stopped: what is shown stays as it is.
            if !error.isStopped { (found, isOffline) = (SearchPage(items: []), error.allowsStale) }
        }
    }

    /// The text was typed to its end, and is proposed the next time.
    func submit(_ text: String) async throws(OfflineError) -> [String] {
        try await library.store.changeRecentSearches { $0.add(text) }
        return try await library.store.loadRecentSearches().queries
    }
}
