import ArticleAPI
import ArticleClient
import ArticleOffline

/// What is on this machine for one account: the articles, and what was written and not yet sent.
/// The mirror fills it, the outbox empties itself, and screens show what the store says.
@MainActor final class Library {
    let store: ModelStore
    let service: CachingService
    let outbox: Outbox
    let mirror: ArticleMirror
    /// Of what is searched while it is typed, only the latest counts.
    private let latest: SupersedingRequests
    private var work: [Task<Void, Never>] = []

    /// - Parameters:
    ///   - backend: whose credentials are those of the account.
    ///   - account: `nil` for anonymous readers.
    ///   - folder: where the files are; `nil` for the memory.
    ///   - airplane: says whether there is a network.
    init(
        _ backend: BackendService, of account: String?, in folder: String?, _ airplane: Airplane
    ) throws(ModelStoreError) {
        let place: ModelStore.Location =
            folder.map { .file(in: $0, of: account, at: backend.configuration.baseURL) }
            ?? .memory(of: account)
        store = try ModelStore(place)
        service = CachingService(backend, store: store)
        outbox = Outbox(store: store, backend: backend)
        latest = SupersedingRequests(backend, pause: .milliseconds(250))
        // With texts, so that they can be read without a network.
        let fields = AttributeSet<Article>.all.subtracting(["bodyHTML", "commentCount"]).names
        let articles = FetchChangesRequest(fields: FieldSelection(fields))
        mirror = ArticleMirror(store: store, backend: backend, name: "all", filter: articles) {
            airplane.isOn ? .constrained : .unrestricted
        }
    }

    /// Follows the backend until `stop`.
    func start() {
        work = [
            Task { [mirror] in try? await mirror.run() },
            Task { [outbox] in await outbox.run() },
        ]
    }

    func stop() { for task in work { task.cancel() } }

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
            let reply = try await latest.run { [service] () async throws(BackendError) in
                try await service.reply(to: request, options: options)
            }
            return (reply.item, reply.staleReason != nil)
        } catch {
            guard error.allowsStale else { throw error }
            return (SearchPage(items: []), true)
        }
    }

    /// The network has come or gone.
    func networkChanged() { service.backend.networkDidChange() }
}
