public import ArticleAPI

/// A list that is loaded page by page, as a value: its items, and its load in progress.
///
/// `refresh` and `more` begin a load, which describes the request; `receive`, `fail` and `stop` end
/// it. An item occurs once: if a later page has it again, because it has moved down meanwhile, it
/// keeps its place and gets its new content. Cursors are positions in the order of the list, so
/// that an insertion above one neither repeats nor skips an item. Only the last load counts: a
/// response to an earlier one is ignored.
///
/// ```swift
/// var list = PagedListState<Author, BackendError>()
/// let load = list.refresh()
/// let page = try await backend.send(FetchAuthorsRequest(cursor: load.cursor))
/// list.receive(page, for: load)
/// let isWhole = list.phase == .exhausted
/// ```
///
/// `PagedList` of ArticleClient sends the requests. With `Codable` items, a state is `Codable`,
/// too: it is restored without the load that was in progress, and goes on with its next page.
public struct PagedListState<Item: Identifiable & Sendable, Failure: Error & Equatable>: Sendable
where Item.ID: Sendable {
    public enum Phase: Sendable, Equatable {
        /// Nothing was loaded yet.
        case idle
        case loading(Load.Kind)
        /// There are more pages.
        case loaded
        /// The last load has failed; the same one can be tried again.
        case failed(Failure, Load.Kind)
        /// All pages are loaded.
        case exhausted
    }

    /// A page that is being loaded.
    public struct Load: Sendable, Hashable {
        public enum Kind: Sendable, Hashable {
            /// The first page, which replaces the list.
            case refresh
            /// The page after the last item.
            case more
        }

        public let kind: Kind
        /// The cursor of the page; `nil` for that with which the list begins.
        public let cursor: String?
        fileprivate let number: Int
    }

    /// During a refresh, those before it.
    public private(set) var items: [Item] = []
    public private(set) var phase = Phase.idle
    /// The cursor of the next page; `nil` before the first page and after the last one.
    private var next: String?
    /// The number of changes of the state.
    private(set) var changes = 0
    /// The phase to return to if a load stops.
    private var settled = Phase.idle
    private var load: Load?
    private var indices: [Item.ID: Int] = [:]
    private var cursors: Set<String> = []
    private let limit: Int

    /// An empty list.
    ///
    /// - Parameter limit: the most items; with them, the list counts as exhausted.
    public init(limit: Int = 10_000) { self.limit = limit }

    /// Begins to load the first page, which will replace the list. The load in progress is ignored.
    public mutating func refresh() -> Load { begin(.refresh, cursor: nil) }

    /// Begins to load another list, without the items of this one.
    public mutating func restart() -> Load {
        clear()
        settled = .idle
        return begin(.refresh, cursor: nil)
    }

    /// Begins to load the next page; the first one, if nothing was loaded yet.
    /// - Returns: `nil` if there are no more pages, or if a page is being loaded.
    public mutating func more() -> Load? {
        guard load == nil else { return nil }
        switch settled {
        case .idle: return begin(.refresh, cursor: nil)
        case .loaded: return begin(.more, cursor: next)
        case .loading, .failed, .exhausted: return nil
        }
    }

    /// Ends a load with its page.
    ///
    /// - Returns: the load that has to follow, if the page has no item that the list did not have,
    ///   but is not the last one: otherwise a list that loads more when its end appears would stop.
    @discardableResult
    public mutating func receive(_ page: Page<Item>, for load: Load) -> Load? {
        guard end(load) else { return nil }
        if load.kind == .refresh { clear() }
        let count = items.count
        for item in page.items { add(item) }
        // A list that returns to an earlier cursor would never end.
        next = page.next.flatMap { cursors.insert($0).inserted ? $0 : nil }
        settle()
        return items.count == count ? more() : nil
    }

    /// Ends a load with an error. The items remain.
    public mutating func fail(_ error: Failure, for load: Load) {
        guard end(load) else { return }
        phase = .failed(error, load.kind)
    }

    /// Ends a load without a result, for example because it was cancelled. Everything is as before
    /// it.
    public mutating func stop(_ load: Load) {
        guard end(load) else { return }
        phase = settled
    }

    /// Applies a change that is already known, such as the user's own edit, to an item.
    ///
    /// - Returns: true if the list has the item.
    @discardableResult
    public mutating func update(_ item: Item) -> Bool {
        guard let index = indices[item.id] else { return false }
        items[index] = item
        changes += 1
        return true
    }

    /// True if the item is one of the last ones of the list.
    func isLast(_ item: Item, within distance: Int) -> Bool {
        indices[item.id].map { $0 >= items.count - distance } ?? false
    }

    private mutating func settle() {
        let isFull = items.count >= limit || cursors.count > limit
        settled = next == nil || isFull ? .exhausted : .loaded
        phase = settled
    }

    private mutating func clear() { (items, indices, cursors) = ([], [:], []) }

    private mutating func begin(_ kind: Load.Kind, cursor: String?) -> Load {
        changes += 1
        let load = Load(kind: kind, cursor: cursor, number: changes)
        self.load = load
        phase = .loading(kind)
        return load
    }

    /// - Returns: true if this is the current load.
    private mutating func end(_ load: Load) -> Bool {
        guard load == self.load else { return false }
        self.load = nil
        changes += 1
        return true
    }

    private mutating func add(_ item: Item) {
        guard !update(item), items.count < limit else { return }
        indices[item.id] = items.count
        items.append(item)
    }
}

extension PagedListState: Codable where Item: Codable {
    private enum CodingKeys: CodingKey {
        case items, next, cursors, isLoaded, limit
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(limit: try values.decode(Int.self, forKey: .limit))
        for item in try values.decode([Item].self, forKey: .items) { add(item) }
        next = try values.decodeIfPresent(String.self, forKey: .next)
        cursors = try values.decode(Set<String>.self, forKey: .cursors)
        if try values.decode(Bool.self, forKey: .isLoaded) { settle() }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(items, forKey: .items)
        try values.encodeIfPresent(next, forKey: .next)
        try values.encode(cursors, forKey: .cursors)
        try values.encode(settled != .idle, forKey: .isLoaded)
        try values.encode(limit, forKey: .limit)
    }
}
