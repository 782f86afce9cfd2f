public import ArticleAPI
public import ArticleClient

/// A backend in the app's own process, for tests of screens and for previews.
extension BackendService {
    /// A backend in memory: requests and responses are real HTTP messages, edits have effects, and
    /// nothing remains after its last user.
    ///
    /// ```swift
    /// let backend = BackendService.inMemory(.samples, signedInAs: .sample())
    /// let draft = Article.Draft(title: "Sourdough", status: .published)
    /// let created = try await backend.send(CreateArticleRequest(article: draft))
    /// let published = FetchArticlesRequest(limit: 1, status: .published)
    /// let newest = try await backend.send(published).items
    /// ```
    ///
    /// Everyone reads what is published. Whoever is signed in may do what editors may, and may sign
    /// in with any name and password. Ids and tokens are not random, and times are those of
    /// `environment`. It knows articles, search, tags, authors, comments, bookmarks, changes and
    /// sessions; other requests fail with the problem `not-implemented`. `bodyHTML` has paragraphs,
    /// in which Markdown stays as it is, unless an article came with it.
    ///
    /// - Parameters:
    ///   - content: the content to begin with; traps if two articles have the same id.
    ///   - user: the user who is signed in; `nil` for none.
    ///   - cache: `nil` to keep no responses.
    ///   - observers: called for every event.
    ///   - environment: clocks and random numbers.
    public static func inMemory(
        _ content: InMemoryContent = .samples, signedInAs user: User? = nil,
        cache: ResponseCache? = ResponseCache(), observers: [BackendObserver] = [],
        environment: ClientEnvironment = .system
    ) -> BackendService {
        let backend = InMemoryBackend(content, environment)
        return BackendService(backend, signedInAs: user, cache, observers)
    }

    /// The service of another device, at the same backend in memory: somebody else who edits the
    /// same articles.
    ///
    /// ```swift
    /// let other = backend.otherDevice(signedInAs: .sample(id: .sample(2), name: "leo"))
    /// try await other.send(DeleteArticleRequest(id: created.id))
    /// ```
    ///
    /// The service must be one that `inMemory` or this function made.
    ///
    /// - Parameter user: the user who is signed in there; `nil` for none.
    public func otherDevice(signedInAs user: User? = nil) -> BackendService {
        guard let backend = transport as? InMemoryBackend else {
            preconditionFailure("programmer error: the backend is not in memory")
        }
        return BackendService(backend, signedInAs: user, ResponseCache(), [])
    }

    /// A backend in memory if the app was launched with an argument, as by a test of its screens;
    /// otherwise `nil`.
    ///
    /// ```swift
    /// let backend =
    ///     BackendService.inMemory(.samples, ifLaunchedWith: "-samples")
    ///     ?? BackendService(configuration: configuration, transport: transport)
    /// ```
    ///
    /// - Parameters:
    ///   - content: the content to begin with.
    ///   - argument: the whole argument: `-samples`.
    ///   - user: the user who is signed in; `nil` for none.
    ///   - arguments: those of the process.
    public static func inMemory(
        _ content: InMemoryContent = .samples, ifLaunchedWith argument: String,
        signedInAs user: User? = nil, arguments: [String] = CommandLine.arguments
    ) -> BackendService? {
        arguments.contains(argument) ? inMemory(content, signedInAs: user) : nil
    }

    private init(
        _ backend: InMemoryBackend, signedInAs user: User?, _ cache: ResponseCache?,
        _ observers: [BackendObserver]
    ) {
        var configuration = BackendConfiguration(baseURL: BaseURL(.inMemory))
        // A debugger may stop in the app.
        configuration.timeout = .seconds(600)
        let credentials = user.map { Credentials(backend.begin(for: $0)) }
        self.init(
            configuration: configuration, transport: backend,
            auth: BackendAuth(credentials, refresh: BackendAuth.renewSession), cache: cache,
            observers: observers, environment: backend.environment)
    }
}
