import BroadsheetKit

/// What an account has on the device, and what fills and empties it.
struct OfflineLibrary: Sendable {
    let store: ModelStore
    let service: CachingService
    let mirror: ArticleMirror
    let outbox: Outbox

    /// - Parameters:
    ///   - folder: of the app's own files, which are not backed up.
    ///   - account: `Credentials.account` of the signed-in user.
    ///   - backend: with the credentials of that account.
    init(
        in folder: String, of account: String, on backend: BackendService
    ) throws(ModelStoreError) {
        store = try ModelStore(
            .file(in: folder, of: account, at: backend.configuration.baseURL),
            limits: .init(bytes: 200 << 20))
        service = CachingService(backend, store: store)
        // Lists have no bodies, but a tunnel is where they are read.
        let fields = AttributeSet<Article>.all.subtracting(["bodyHTML", "commentCount"]).names
        mirror = ArticleMirror(
            store: store, backend: backend, name: "writing",
            filter: FetchChangesRequest(tags: ["writing"], fields: FieldSelection(fields)))
        outbox = Outbox(store: store, backend: backend)
    }
}
