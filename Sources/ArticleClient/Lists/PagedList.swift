public import ArticleAPI

/// A list of a backend for a screen: it loads pages when they are needed.
///
/// Its state is a value, ``PagedList/state``, with everything to show; `didChange` receives the
/// states before and after each change. Responses to loads that a refresh has replaced are ignored.
/// Loads run in the tasks of their callers: cancelling one leaves the list as it was.
///
/// ```swift
/// let list = PagedList(backend, FetchTagsRequest(limit: 20)) { old, new in
///     counts.append(new.items.count)
/// }
/// await list.refresh()
/// await list.more()
/// ```
///
/// Use it on the main actor.
@MainActor public final class PagedList<Request: PagedRequest> {
    public typealias State = PagedListState<Request.PageItem, BackendError>

    public private(set) var state: State
    private let backend: BackendService
    private let request: Request
    private let options: RequestOptions
    private let didChange: (_ old: State, _ new: State) -> Void

    /// - Parameters:
    ///   - backend: sends the requests.
    ///   - request: the list; it begins at the request's cursor.
    ///   - options: the options of each request.
    ///   - limit: the most items.
    ///   - didChange: called after each change of the state.
    public init(
        _ backend: BackendService, _ request: Request, options: RequestOptions = .init(),
        limit: Int = 10_000, didChange: @escaping (_ old: State, _ new: State) -> Void = { _, _ in }
    ) {
        self.backend = backend
        self.request = request
        self.options = options
        self.didChange = didChange
        state = State(limit: limit)
    }

    /// Loads the first page and replaces the list with it.
    public func refresh() async { await load(change { $0.refresh() }) }

    /// Loads the next page, or the first one; does nothing while a page is being loaded, and at the
    /// end of the list.
    public func more() async { await load(change { $0.more() }) }

    /// Applies a change that is already known, such as the user's own edit, to an item.
    public func update(_ item: Request.PageItem) { _ = change { $0.update(item) } }

    private func load(_ load: State.Load?) async {
        var following = load
        // Ends because each round requests a later page.
        while let load = following {
            var request = request
            if let cursor = load.cursor { request.cursor = cursor }
            do throws(BackendError) {
                let page = try await backend.send(request, options: options)
                following = change { $0.receive(page, for: load) }
            } catch {
                change { error.isStopped ? $0.stop(load) : $0.fail(error, for: load) }
                following = nil
            }
        }
    }

    private func change<Result>(_ body: (inout State) -> Result) -> Result {
        let old = state
        let result = body(&state)
        if state.changes != old.changes { didChange(old, state) }
        return result
    }
}
