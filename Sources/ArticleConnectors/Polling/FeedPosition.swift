import BroadsheetFeeds
import BroadsheetHTTP

/// The position of a walk through the pages of a feed (RFC 5005 §3), from the newest entries to
/// older ones.
struct FeedPosition {
    private let policy: SourcePolicy
    private let readsAll: Bool
    private var urls: Set<HTTPURL>

    /// Pages of one poll. Older ones are not read.
    static let limitPages = 50

    /// - Parameters:
    ///   - url: the URL of the first page.
    ///   - readsAll: true to read all pages; otherwise, they are read as long as they have new
    ///     entries.
    init(from url: HTTPURL, readsAll: Bool, under policy: SourcePolicy) {
        self.policy = policy
        self.readsAll = readsAll
        urls = [url]
    }

    /// The number of the page that was returned last.
    var pageNumber: Int { urls.count }

    /// The page to read after this one. A link that is not permitted, or that leads back, ends the
    /// walk.
    mutating func next(after page: Feed, at url: HTTPURL, hasNew: Bool) -> HTTPURL? {
        guard readsAll || hasNew, urls.count < Self.limitPages, let link = page.nextPage,
            let next = try? policy.url(link, from: url), urls.insert(next).inserted
        else { return nil }
        return next
    }
}
