public import ArticleAPI

/// The pages of a list, one after the other, as long as somebody reads on.
///
/// ```swift
/// var titles: [String] = []
/// for try await page in backend.pages(of: FetchArticlesRequest(tag: "writing", limit: 2)) {
///     titles += page.items.map(\.title)
/// }
/// ```
///
/// A page is asked for when it is wanted, and not before. An item that moves down the list in the
/// meantime is not given again (as far as the last 10,000 items tell). A page that failed can be
/// asked for again with the same iterator.
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
        /// For the next page; `nil` behind the last one.
        private var request: Request?
        private var cursors = RecentValues<String>()
        private var ids = RecentValues<Request.PageItem.ID>()

        fileprivate init(pages: BackendPages) {
            service = pages.service
            options = pages.options
            request = pages.request
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BackendError) -> Page<Request.PageItem>? {
            guard let asked = request else { return nil }
            var page = try await service.send(asked, options: options)
            if let cursor = page.next {
                // A list that leads back to where it was would have no end.
                guard cursors.insert(cursor) else {
                    request = nil
                    throw .mapping(
                        .invalid(
                            path: "$.next", expected: "a cursor of a later page",
                            found: "one that was given before"))
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

/// The items of a list, page after page.
///
/// `for try await article in backend.pages(of: FetchArticlesRequest()).items { … }`
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

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BackendError) -> Request.PageItem? {
            // Ends: each round asks for a later page. A page may be empty and not the last.
            while rest.isEmpty {
                guard let page = try await pages.next(isolation: actor) else { return nil }
                rest = page.items[...]
            }
            return rest.removeFirst()
        }
    }
}

extension BackendService {
    /// The pages of a list from the request's cursor on, or its items:
    /// `for try await article in backend.pages(of: FetchArticlesRequest()).items`.
    public func pages<Request: PagedRequest>(
        of request: Request, options: RequestOptions = .init()
    ) -> BackendPages<Request> {
        BackendPages(service: self, request: request, options: options)
    }
}

/// The last values of a sequence without an end: 10,000 of them at least, 20,000 at most.
struct RecentValues<Value: Hashable & Sendable>: Sendable {
    private static var limit: Int { 10_000 }

    private var new: Set<Value> = []
    private var old: Set<Value> = []

    /// Remembers the value.
    /// - Returns: whether it is new.
    mutating func insert(_ value: Value) -> Bool {
        guard !old.contains(value), new.insert(value).inserted else { return false }
        if new.count == Self.limit { (new, old) = ([], new) }
        return true
    }
}
