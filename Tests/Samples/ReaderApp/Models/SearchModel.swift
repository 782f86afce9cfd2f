import BroadsheetKit
import Observation

/// A search while its user types, with and without a network.
@MainActor @Observable final class SearchModel {
    var text = ""
    private(set) var found = SearchPage<Article>(items: [])
    /// True if only this device was searched.
    private(set) var isOffline = false
    private(set) var problem: ErrorText?
    /// The former searches, the newest first.
    private(set) var recent: [String] = []
    private let library: LibraryModel
    private let latest: SupersedingRequests

    init(_ library: LibraryModel, pause: Duration = .milliseconds(250)) {
        self.library = library
        latest = SupersedingRequests(library.offline.backend, pause: pause)
    }

    var isEmpty: Bool { !text.contains { !$0.isWhitespace } }

    /// Follows the recent searches, while its task runs.
    func follow() async {
        for await searches in library.offline.store.recentSearches() { recent = searches.queries }
    }

    /// Searches for the text; to be called whenever it has changed.
    func search() async {
        guard !isEmpty else {
            latest.clear()
            (found, isOffline, problem) = (SearchPage(items: []), false, nil)
            return
        }
        let request = SearchArticlesRequest(query: text)
        let options = RequestOptions(freshness: .orCached())
        do throws(BackendError) {
            let backend = library.offline.backend
            let reply = try await latest.run { () async throws(BackendError) in
                try await backend.reply(to: request, options: options)
            }
            (found, isOffline, problem) = (reply.item, reply.staleReason != nil, nil)
        } catch {
            // Every search but the last is stopped: what is shown stays as it is.
            if let text = ErrorText(ifShown: error) {
                (found, isOffline, problem) = (SearchPage(items: []), error.allowsStale, text)
            }
        }
    }

    /// The text was typed to its end, and is proposed the next time.
    func submit() async {
        let text = text
        do { try await library.offline.store.changeRecentSearches { $0.add(text) } } catch {
            problem = ErrorText(ifShown: error)
        }
    }

    func forgetRecent() async {
        do { try await library.offline.store.changeRecentSearches { $0.removeAll() } } catch {
            problem = ErrorText(ifShown: error)
        }
    }
}
