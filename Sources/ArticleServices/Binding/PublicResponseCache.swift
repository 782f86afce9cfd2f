import ArticleAPI
import ArticleStore
import HTTP
import HTTPServer
import Platform

/// The data on which a public response depends.
struct Dependencies: Sendable {
    let names: [CacheTag]
    /// The time for which it was created, if it changes when an article's publication time is
    /// reached.
    let moment: Timestamp?
    /// When the response will contain more (`Last-Modified`); `nil` if it is final.
    private(set) var end: Timestamp?

    func lasting(until end: Timestamp?) -> Dependencies {
        var dependencies = self
        dependencies.end = end
        return dependencies
    }

    /// One article, whose byline contains its authors' names. Passing time does not make it private
    /// again.
    static func article(_ article: Article) -> Dependencies {
        let authors = article.authors.map { CacheTag.author($0.id) }
        return Dependencies(names: [.article(article.id)] + authors, moment: nil)
    }

    /// An author, who is public if they have public articles.
    static func author(_ author: Author) -> Dependencies {
        Dependencies(names: [.author(author.id), .lists], moment: nil)
    }

    /// A list of what was public at that time.
    static func lists(at moment: Timestamp) -> Dependencies {
        Dependencies(names: [.lists], moment: moment)
    }
}

extension CacheTag {
    /// Everything that depends on more than one article.
    static let lists = CacheTag(kind: 0)

    static func article(_ id: Article.ID) -> CacheTag {
        CacheTag(kind: 1, high: id.high, low: id.low)
    }

    static func author(_ id: Author.ID) -> CacheTag {
        CacheTag(kind: 2, high: id.high, low: id.low)
    }
}

/// Caches public responses, which are the same for all anonymous clients. The cache is notified of
/// each change before it becomes visible.
final class PublicResponseCache: Sendable {
    let cache: ResponseCache
    private let store: any ArticleStore
    private let schedule = Lock(Schedule())

    /// When the next scheduled article becomes public, as far as it is known.
    private struct Schedule {
        /// The last announced change.
        var announced: Int64 = 0
        /// All changes up to this one are visible.
        var visible: Int64 = 0
        /// The cached result of a read: it includes changes up to `stamp`, and is valid for times
        /// from `from` on.
        var known: (stamp: Int64, from: Timestamp, next: Timestamp?)?
    }

    init(cacheBytes: Int, store: any ArticleStore, now: @escaping @Sendable () -> Timestamp) {
        cache = ResponseCache(limitBytes: cacheBytes) { now().milliseconds }
        self.store = store
        store.observeChanges(self)
    }

    /// Responds to an anonymous request from the cache, or with the result of `make`, which is
    /// cached if it has dependencies.
    func respond(
        _ message: HTTPRequest, _ context: RequestContext, log: (String) -> Void,
        _ make: () async throws(ServiceError) -> (HTTPResponse, Dependencies?)
    ) async -> HTTPResponse {
        await cache.respond(message, context) {
            do {
                let (response, dependencies) = try await make()
                guard let dependencies else { return .once(response) }
                return try await lasting(response, of: dependencies)
            } catch {
                return .once(ServiceError(error).response(to: context.requestID, log: log))
            }
        }
    }

    /// The public response with its expiry.
    private func lasting(
        _ response: HTTPResponse, of dependencies: Dependencies
    ) async throws(StoreError) -> CacheableResponse {
        var until = dependencies.end
        if let moment = dependencies.moment,
            let next = try await nextPublication(after: moment)
        {
            until = min(until ?? next, next)
        }
        return .lasting(response, dependencies: dependencies.names, until: until?.milliseconds)
    }

    /// The store is queried at most once per change, as lists are requested far more often.
    private func nextPublication(after now: Timestamp) async throws(StoreError) -> Timestamp? {
        let (known, stamp): (Timestamp??, Int64) = schedule.withLock { schedule in
            guard let known = schedule.known, known.stamp >= schedule.announced, known.from <= now,
                known.next.map({ now < $0 }) ?? true
            else { return (nil, schedule.visible) }
            return (.some(known.next), schedule.visible)
        }
        if let known { return known }
        let next = try await store.nextPublication(after: now)
        schedule.withLock { $0.known = (stamp, now, next) }
        return next
    }
}

extension PublicResponseCache: ChangeObserver {
    func willCommit(_ changes: PendingChanges) {
        schedule.withLock { $0.announced = max($0.announced, changes.sequence) }
        cache.willChange(changes.records.map(Self.names), through: changes.sequence)
    }

    func didCommit(through sequence: Int64) {
        schedule.withLock { $0.visible = max($0.visible, sequence) }
        cache.didChange(through: sequence)
    }

    func didNotCommit(beyond sequence: Int64) {
        schedule.withLock { $0.announced = sequence }
        cache.didChange(through: sequence, isFailure: true)
    }

    private static func names(_ records: [ChangeRecord]) -> [CacheTag] {
        var names: Set<CacheTag> = []
        for record in records {
            if record.isPublic { names.insert(.lists) }
            switch record.subject {
            case .article(let id): names.insert(.article(id))
            case .author(let id): names.insert(.author(id))
            }
        }
        return Array(names)
    }
}
