public import ArticleAPI
public import Observation

/// A list of a backend for a screen: it loads pages when they are needed.
///
/// It is `@Observable`. Its state is a value, ``PagedList/state``, with everything to show;
/// `didChange` receives the states before and after each change. Responses to loads that a refresh
/// has replaced are ignored. Loads run in the tasks of their callers: cancelling one leaves the
/// list as it was.
///
/// ```swift
/// let list = PagedList(backend, FetchTagsRequest(limit: 20)) { old, new in
///     counts.append(new.items.count)
/// }
/// await list.refresh()
/// if let last = list.items.last { await list.itemDidAppear(last) }
/// await list.show(FetchTagsRequest(limit: 50))
/// ```
///
/// With a service that has a memory, its pages are stored, and `.orCached(after:)` shows them
/// without a network. Use it on the main actor.
@MainActor @Observable public final class PagedList<Request: PagedRequest> {
    public typealias State = PagedListState<Request.PageItem, BackendError>

    public private(set) var state: State
    /// The list that is shown, from its beginning.
    public private(set) var request: Request
    private let backend: BackendService
    private let options: RequestOptions
    private let didChange: (_ old: State, _ new: State) -> Void

    /// - Parameters:
    ///   - backend: sends the requests.
    ///   - request: the list; it begins at the request's cursor.
    ///   - options: the options of each request.
    ///   - limit: the most items.
    ///   - state: the state of an earlier list with the same request, which is shown until the
    ///     next refresh; `nil` for an empty list.
    ///   - didChange: called after each change of the state.
    public init(
        _ backend: BackendService, _ request: Request, options: RequestOptions = .init(),
        limit: Int = 10_000, restoring state: State? = nil,
        didChange: @escaping (_ old: State, _ new: State) -> Void = { _, _ in }
    ) {
        self.backend = backend
        self.request = request
        self.options = options
        self.didChange = didChange
        self.state = state ?? State(limit: limit)
    }

    /// The items that are loaded.
    public var items: [Request.PageItem] { state.items }

    /// True while a page is being loaded.
    public var isLoading: Bool { if case .loading = state.phase { true } else { false } }

    /// The error of the last load, beside the items of earlier ones; `nil` if it has not failed.
    public var error: BackendError? {
        if case .failed(let error, _) = state.phase { error } else { nil }
    }

    /// Shows another list, such as one with another filter, without the items of the former one.
    public func show(_ request: Request) async {
        self.request = request
        await load(change { $0.restart() })
    }

    /// Loads the next page if the item is one of the last ones: call it for each item that appears
    /// on the screen. After an error it loads nothing; `more` tries again.
    ///
    /// - Parameters:
    ///   - item: an item of the list.
    ///   - distance: the number of last items for which the next page is loaded.
    public func itemDidAppear(_ item: Request.PageItem, within distance: Int = 5) async {
        if state.isLast(item, within: distance), error == nil { await more() }
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
