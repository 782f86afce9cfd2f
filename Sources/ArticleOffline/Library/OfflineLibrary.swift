public import ArticleAPI
public import ArticleClient

/// Everything that an account has on the device: a store of models, a service that remembers in it
/// what the backend responds, a mirror that fills it, and an outbox that keeps what was written
/// until it has been sent.
///
/// ```swift
/// let library = try OfflineLibrary(.memory(of: "ada"), on: backend)
/// let running = Task { try await library.run() }
/// let page = try await library.backend.send(FetchArticlesRequest(limit: 20))
/// ```
///
/// A value whose copies share all parts. There is one for each account: when another user signs in,
/// cancel the task of `run` and make a library of that account.
public struct OfflineLibrary: Sendable {
    public let store: ModelStore
    /// The backend, with the store as its memory.
    public let backend: BackendService
    public let mirror: ArticleMirror
    public let outbox: Outbox

    /// Opens the store, or makes it.
    ///
    /// - Parameters:
    ///   - location: the location of the models, and their account.
    ///   - backend: a service with the credentials of that account.
    ///   - filter: the articles to keep. If it selects no attributes, they are kept with their
    ///     texts, which lists leave out.
    ///   - requests: types of your own that the outbox sends, so that their responses reach the
    ///     store.
    ///   - limits: the limits of the store.
    ///   - environment: the clock, and random numbers for delays.
    ///   - allowance: is called before each request of the mirror, on any thread.
    ///   - didReport: is called for each event of the store, on any thread.
    public init(
        _ location: ModelStore.Location, on backend: BackendService,
        mirroring filter: FetchChangesRequest = FetchChangesRequest(),
        sending requests: [any RepeatableRequest.Type] = [],
        limits: ModelStore.Limits = ModelStore.Limits(),
        environment: ClientEnvironment = .system,
        allowance: @escaping @Sendable () -> NetworkPolicy = { .unrestricted },
        didReport: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) throws(OfflineError) {
        var filter = filter
        filter.fields = filter.fields ?? .articles(including: .body)
        store = try ModelStore(
            location, limits: limits, environment: environment, didReport: didReport)
        self.backend = BackendService(backend, memory: store)
        mirror = ArticleMirror(
            store: store, backend: backend, name: "library", filter: filter,
            allowance: allowance)
        outbox = Outbox(
            store: store, backend: backend, sending: requests, environment: environment)
    }

    /// Keeps the articles current and sends what was written, until the task is cancelled. Call it
    /// once while the user is signed in.
    ///
    /// - Throws: what ends the mirror, such as the task's cancellation. Nothing is sent then.
    public func run() async throws(OfflineError) {
        async let sending: Void = outbox.run()
        try await mirror.run()
        await sending
    }

    /// Catches up once and sends what can be sent, then returns: for a background task of the
    /// system, or a user who pulls. It may be called while `run` does its work.
    ///
    /// - Parameter isForUser: true if the user asks for it, also on a constrained network.
    /// - Returns: false if the mirror was not permitted to use the network.
    /// - Throws: as ``ArticleMirror/catchUp(isForUser:)``, after what could be sent was sent.
    @discardableResult
    public func refresh(isForUser: Bool = false) async throws(OfflineError) -> Bool {
        await withTaskGroup { [outbox] group in
            group.addTask { await outbox.run() }
            for await _ in outbox.states where await outbox.isSettled { break }
            group.cancelAll()
        }
        // What was sent is caught up, too.
        return try await mirror.catchUp(isForUser: isForUser)
    }

    /// Closes the mirror's connection: the app is in the background.
    public func suspend() { mirror.suspend() }

    /// Goes on at once: the app is in the foreground again.
    public func resume() { mirror.resume() }

    /// Tries again at once what waits for the network.
    public func networkDidChange() { backend.networkDidChange() }
}
