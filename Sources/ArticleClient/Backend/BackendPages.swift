public import ArticleAPI

/// The pages of a list, one after the other.
///
/// ```swift
/// var titles: [String] = []
/// for try await page in backend.pages(of: FetchArticlesRequest(tag: "writing", limit: 2)) {
///     titles += page.items.map(\.title)
/// }
/// ```
///
/// Each page is requested when the iterator needs it. An item that moves down the list in the
/// meantime is not repeated, if it is among the last 10,000 items. After an error, the same
/// iterator can request the page again. A value; iterate on any actor, any number of times.
public struct BackendPages<Request: PagedRequest>: AsyncSequence, Sendable {
    public typealias Element = Page<Request.PageItem>
    public typealias Failure = BackendError

    fileprivate let service: BackendService
    fileprivate let request: Request
    fileprivate let options: RequestOptions

    /// The list's items, page after page.
    public var items: BackendItems<Request> { BackendItems(pages: self) }

    public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

    public struct Iterator: AsyncIteratorProtocol {
        private let service: BackendService
        private let options: RequestOptions
        /// The request for the next page; `nil` after the last one.
        private var request: Request?
        private var cursors = RecentValues<String>()
        private var ids = RecentValues<Request.PageItem.ID>()

        fileprivate init(pages: BackendPages) {
            service = pages.service
            options = pages.options
            request = pages.request
        }

        public mutating func next() async throws(BackendError) -> Page<Request.PageItem>? {
            try await next(isolation: #isolation)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BackendError) -> Page<Request.PageItem>? {
            guard let asked = request else { return nil }
            var page = try await service.send(asked, options: options)
            if let cursor = page.next {
                // A list that returns to an earlier cursor would never end.
                guard cursors.insert(cursor) else {
                    request = nil
                    throw .mapping(
                        .invalid(
                            path: "$.next", expected: "the cursor of a later page",
                            found: "the cursor of an earlier page"))
                }
                request?.cursor = cursor
            } else {
                request = nil
            }
            page.items.removeAll { !ids.insert($0.id) }
            return page
        }
    }
}

/// The items of a list, page after page, with the guarantees of ``BackendPages``.
///
/// A value; iterate on any actor, any number of times.
///
/// ```swift
/// for try await usage in backend.pages(of: FetchTagsRequest(limit: 2)).items {
///     names.append(usage.tag.name)
/// }
/// ```
public struct BackendItems<Request: PagedRequest>: AsyncSequence, Sendable {
    public typealias Element = Request.PageItem
    public typealias Failure = BackendError

    fileprivate let pages: BackendPages<Request>

    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: pages.makeAsyncIterator(), rest: [][...])
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var pages: BackendPages<Request>.Iterator
        fileprivate var rest: ArraySlice<Request.PageItem>

        public mutating func next() async throws(BackendError) -> Request.PageItem? {
            try await next(isolation: #isolation)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BackendError) -> Request.PageItem? {
            // Terminates because each round requests a later page. A page may be empty without
            // being the last one.
            while rest.isEmpty {
                guard let page = try await pages.next(isolation: actor) else { return nil }
                rest = page.items[...]
            }
            return rest.removeFirst()
        }
    }
}

extension BackendService {
    /// The pages of a list, starting at the request's cursor, or its items:
    /// `for try await article in backend.pages(of: FetchArticlesRequest()).items`.
    public func pages<Request: PagedRequest>(
        of request: Request, options: RequestOptions = .init()
    ) -> BackendPages<Request> {
        BackendPages(service: self, request: request, options: options)
    }
}

/// The last values of an unbounded sequence: at least 10,000 and at most 20,000 of them.
struct RecentValues<Value: Hashable & Sendable>: Sendable {
    private static var limit: Int { 10_000 }

    private var new: Set<Value> = []
    private var old: Set<Value> = []

    /// Remembers the value.
    /// - Returns: True if it is new.
    mutating func insert(_ value: Value) -> Bool {
        guard !old.contains(value), new.insert(value).inserted else { return false }
        if new.count == Self.limit { (new, old) = ([], new) }
        return true
    }
}
