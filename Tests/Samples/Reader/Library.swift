import ArticleAPI
import ArticleClient
import ArticleOffline

/// What is on this machine for one account: the articles, and what was written and not yet sent.
/// The mirror fills it, the outbox empties itself, and screens show what the store says.
@MainActor final class Library {
    let offline: OfflineLibrary
    /// Of what is searched while it is typed, only the latest counts.
    private let latest: SupersedingRequests
    private var work: Task<Void, Never>?

    /// - Parameters:
    ///   - backend: whose credentials are those of the account.
    ///   - account: `nil` for anonymous readers.
    ///   - folder: where the files are; `nil` for the memory.
    ///   - airplane: says whether there is a network.
    init(
        _ backend: BackendService, of account: String?, in folder: String?, _ airplane: Airplane
    ) throws(OfflineError) {
        let place: ModelStore.Location =
            folder.map { .file(in: $0, of: account, at: backend.configuration.baseURL) }
            ?? .memory(of: account)
        offline = try OfflineLibrary(
            place, on: backend, allowance: { airplane.isOn ? .constrained : .unrestricted })
        latest = SupersedingRequests(backend, pause: .milliseconds(250))
    }

    /// Follows the backend until `stop`.
    func start() { work = Task { [offline] in try? await offline.run() } }

    func stop() { work?.cancel() }

    /// Searches at the backend or, without a network, in the store. A later search ends it.
    func search(
        _ text: String
    ) async throws(BackendError) -> (page: SearchPage<Article>, isOffline: Bool) {
        guard text.contains(where: { !$0.isWhitespace }) else {
            latest.clear()
            return (SearchPage(items: []), false)
        }
        let request = SearchArticlesRequest(query: text)
        let options = RequestOptions(freshness: .orCached())
        do throws(BackendError) {
            let reply = try await latest.run { [offline] () async throws(BackendError) in
                try await offline.backend.reply(to: request, options: options)
            }
            return (reply.item, reply.staleReason != nil)
        } catch {
            guard error.allowsStale else { throw error }
            return (SearchPage(items: []), true)
        }
    }

    /// The network has come or gone.
    func networkChanged() { offline.networkDidChange() }
}
