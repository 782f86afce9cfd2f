package import ArticleAPI
package import ArticleStore
package import BroadsheetHTTP
package import BroadsheetHTTPServer
package import BroadsheetPlatform

/// The data on which a public response depends.
package struct Dependencies: Sendable {
    package let names: [CacheTag]
    /// The time at which the response will contain more (`Last-Modified`); `nil` if it is final.
    private(set) var end: Timestamp?

    package func lasting(until end: Timestamp?) -> Dependencies {
        var dependencies = self
        dependencies.end = end
        return dependencies
    }

    /// A response that never changes while the server runs.
    package static let none = Dependencies(names: [])

    /// One article, whose byline contains its authors' names.
    package static func article(_ article: Article) -> Dependencies {
        let authors = article.authors.map { CacheTag.author($0.id) }
        return Dependencies(names: [.article(article.id)] + authors)
    }

    /// An author, who is public if they have public articles.
    package static func author(_ author: Author) -> Dependencies {
        Dependencies(names: [.author(author.id), .lists])
    }

    /// Comments on an article, which are visible while the article is, and show the names of their
    /// writers.
    package static func comments(
        _ comments: [ArticleComment], on article: Article.ID
    ) -> Dependencies {
        let writers = Set(comments.compactMap(\.author?.id)).map { CacheTag.comments(by: $0) }
        return Dependencies(names: [.comments(on: article), .article(article)] + writers)
    }

    /// The dependencies of a list of public content.
    package static let lists = Dependencies(names: [.lists])

    /// The dependencies of a search's results: its index is behind the lists.
    package static let search = Dependencies(names: [.lists, .search])
}

extension CacheTag {
    /// Everything that depends on more than one article.
    package static let lists = CacheTag(kind: 0)

    /// The index of the search, which is not part of the change sequence.
    package static let search = CacheTag(kind: 5)

    package static func article(_ id: Article.ID) -> CacheTag {
        CacheTag(kind: 1, high: id.high, low: id.low)
    }

    package static func author(_ id: Author.ID) -> CacheTag {
        CacheTag(kind: 2, high: id.high, low: id.low)
    }

    package static func comments(on id: Article.ID) -> CacheTag {
        CacheTag(kind: 3, high: id.high, low: id.low)
    }

    /// Returns the tag of responses that show the name of the user as a writer of comments.
    package static func comments(by id: User.ID) -> CacheTag {
        CacheTag(kind: 4, high: id.high, low: id.low)
    }
}

/// Caches public responses, which are the same for all anonymous clients. Each change is announced
/// before it becomes visible, and taken over before the cache is used.
package final class PublicResponseCache: Sendable {
    package let cache: ResponseCache
    // The store does not retain it.
    private let announced = AnnouncedChanges()

    /// - Parameter gate: Decides which requests are served without asking their routes.
    package init(
        cacheBytes: Int, store: any ArticleStore, gate: (any CacheGate)? = nil,
        system: SystemEnvironment
    ) {
        let announcements = CacheAnnouncements(count: announced.count) { [announced] cache in
            Self.takeOver(announced.take(), to: cache)
        }
        cache = ResponseCache(limitBytes: cacheBytes, gate: gate, announcements: announcements) {
            system.now.milliseconds
        }
        store.observeChanges(announced)
    }

    /// Removes the results of searches, as the index has changed.
    package func indexChanged() { cache.invalidate([.search]) }

    /// Responds to an anonymous request from the cache, or with the result of `make`, which is
    /// cached if it has dependencies.
    package func respond(
        _ message: HTTPRequest, _ context: RequestContext, log: (String) -> Void,
        _ make: () async throws(ServiceError) -> (HTTPResponse, Dependencies?)
    ) async -> HTTPResponse {
        await cache.respond(message, context) {
            do {
                let (response, dependencies) = try await make()
                guard let dependencies else { return .once(response) }
                return .lasting(
                    response, dependencies: dependencies.names,
                    until: dependencies.end?.milliseconds)
            } catch {
                return .once(ServiceError(error).response(to: context.requestID, log: log))
            }
        }
    }
}

extension PublicResponseCache {
    private static func takeOver(_ batch: AnnouncedChanges.Batch, to cache: ResponseCache) {
        if let last = batch.failure { cache.didChange(through: last, isFailure: true) }
        if let changes = batch.changes {
            cache.willChange(changes.records.map(names), through: changes.sequence)
        }
        cache.didChange(through: batch.visible)
    }

    private static func names(_ records: [ChangeRecord]) -> [CacheTag] {
        var names: Set<CacheTag> = []
        for record in records {
            switch record.subject {
            case .article(let id):
                names.insert(.article(id))
                if record.isPublic { names.insert(.lists) }
            case .author(let id):
                names.insert(.author(id))
                if record.isPublic { names.insert(.lists) }
            case .comment(_, let article):
                names.insert(.comments(on: article))
                if let writer = record.renamedWriter { names.insert(.comments(by: writer)) }
            case .bookmark: break
            }
        }
        return Array(names)
    }
}
