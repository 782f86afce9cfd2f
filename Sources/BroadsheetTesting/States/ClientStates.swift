public import ArticleAPI
public import ArticleClient
public import BroadsheetHTTP

/// States of requests and lists, which only a service makes otherwise.
extension BackendReply {
    /// A reply with this item.
    ///
    /// ```swift
    /// let current = BackendReply.sample(Article.sample())
    /// let copy = BackendReply.sample(
    ///     Article.sample(), source: .cached, age: .seconds(3_600), staleReason: .timedOut)
    /// ```
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - source: the origin of the response.
    ///   - age: the time since the backend sent or confirmed it.
    ///   - staleReason: the reason why a copy was used although the backend was asked.
    ///   - status: the status of the response.
    ///   - fields: the header fields of the response.
    public static func sample(
        _ item: Item, source: Source = .network, age: Duration = .zero,
        staleReason: BackendError? = nil, status: HTTPStatus = .ok,
        fields: HTTPFields = HTTPFields()
    ) -> BackendReply {
        BackendReply(
            item: item, source: source, age: age, staleReason: staleReason, status: status,
            fields: fields)
    }
}

extension BackendEvent {
    /// An event of a request, as observers receive it.
    ///
    /// ```swift
    /// let event = BackendEvent.sample(.finished(.failure(.timedOut)), of: FetchTagsRequest())
    /// ```
    public static func sample<Request: BackendAPIRequest>(
        _ kind: Kind = .started, of request: Request = FetchArticlesRequest(),
        duration: Duration = .zero
    ) -> BackendEvent {
        let context = ExchangeContext(
            ExchangeContext.ID(request: 1, attempt: 1), to: .inMemory, of: Request.self)
        return BackendEvent(
            kind, RequestPrinter.print(request), context, duration: duration)
    }
}

extension PagedListState {
    /// The state of a list in a phase.
    ///
    /// ```swift
    /// typealias List = PagedListState<Article, BackendError>
    /// let first = List.sample(phase: .loading(.refresh))
    /// let more = List.sample(Article.samples, phase: .loading(.more))
    /// let failed = List.sample(Article.samples, phase: .failed(.timedOut, .more))
    /// ```
    ///
    /// - Parameters:
    ///   - items: the items that are loaded. A list that was never loaded (`idle`) has none, and
    ///     one that has more pages (`loaded`, and loads of `more`) has some; others trap.
    ///   - phase: the phase.
    public static func sample(_ items: [Item] = [], phase: Phase) -> PagedListState {
        var state = PagedListState()
        func receive(_ items: [Item], isLast: Bool) {
            let load = state.refresh()
            state.receive(Page(items: items, next: isLast ? nil : "next"), for: load)
        }
        switch phase {
        case .idle: break
        case .loaded: receive(items, isLast: false)
        case .exhausted: receive(items, isLast: true)
        case .loading(.refresh), .failed(_, .refresh):
            if !items.isEmpty { receive(items, isLast: true) }
            let load = state.refresh()
            if case .failed(let error, _) = phase { state.fail(error, for: load) }
        case .loading(.more), .failed(_, .more):
            receive(items, isLast: false)
            if let load = state.more(), case .failed(let error, _) = phase {
                state.fail(error, for: load)
            }
        }
        precondition(
            state.phase == phase && state.items.count == items.count,
            "programmer error: a list with \(items.count) items is not in this phase")
        return state
    }
}

extension HTTPOrigin {
    /// The origin of backends in memory.
    package static let inMemory: HTTPOrigin = {
        guard let origin = HTTPOrigin("http://localhost") else {
            preconditionFailure("programmer error: this is the text of an origin")
        }
        return origin
    }()
}
