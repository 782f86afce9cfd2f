package import ArticleAPI
package import ArticleAdminAPI
package import ArticleServiceCore
import ArticleStore
package import BroadsheetFeeds
import BroadsheetMarkup

/// Feeds of public content, the same for every caller.
package struct FeedService: Sendable {
    package let articles: ArticleService
    let settings: FeedSettings

    package init(articles: ArticleService, settings: FeedSettings) {
        self.articles = articles
        self.settings = settings
    }

    package func atom(
        _ request: FetchAtomFeedRequest, by _: Principal
    ) async throws(ServiceError) -> Reply<FetchAtomFeedRequest.Item> {
        try await fetch(request, as: .atom)
    }

    package func rss(
        _ request: FetchRSSFeedRequest, by _: Principal
    ) async throws(ServiceError) -> Reply<FetchRSSFeedRequest.Item> {
        try await fetch(request, as: .rss)
    }

    package func json(
        _ request: FetchJSONFeedRequest, by _: Principal
    ) async throws(ServiceError) -> Reply<FetchJSONFeedRequest.Item> {
        try await fetch(request, as: .json)
    }

    /// The page of the feed that the request asks for.
    package func fetch<Request: FeedRequest>(
        _ request: Request, as format: FeedFormat
    ) async throws(ServiceError) -> Reply<Request.Item> {
        guard let addresses = settings.addresses else { throw .busy }
        let list = ArticleList(FetchArticlesRequest(request.query), caller: .anonymous)
        let page = try await articles.cursors.page(of: list.name, from: request.query.cursor) {
            after in
            var query = list.query
            query.after = after
            return try await articles.bounded(
                articles.store.articles(query), Self.fields, in: query.sort)
        }
        do throws(XMLWriterError) {
            return Reply(
                Request.Item(try format.write(feed(of: page, for: request, at: addresses))),
                renderer: MarkdownRenderer.name, dependencies: .lists)
        } catch { throw .unavailable(cause: "\(error)") }
    }

    /// The fields that determine the size of a page.
    private static let fields = FieldSelection(["title", "summary", "body", "bodyHTML"])

    private func feed<Request: FeedRequest>(
        of page: Page<Article>, for request: Request, at addresses: PublicURLs
    ) -> Feed {
        var first = request
        first.query.cursor = nil
        var whole = first
        whole.query.limit = nil
        var feed = Feed(
            id: addresses.url(of: whole), title: settings.title,
            subtitle: request.query.description, homePage: addresses.home,
            address: addresses.url(of: request), firstPage: addresses.url(of: first),
            // The newest change among the entries: without a change, the bytes stay the same.
            updatedAt: page.items.map(\.updatedAt).max(),
            entries: page.items.map { entry(of: $0, at: addresses) })
        if let next = page.next {
            var older = request
            older.query.cursor = next
            feed.nextPage = addresses.url(of: older)
        }
        feed.language = request.query.language
        return feed
    }

    private func entry(of article: Article, at addresses: PublicURLs) -> FeedEntry {
        let url = addresses.url(ofArticle: article.slug)
        var entry = FeedEntry(
            id: "urn:uuid:\(article.id)", url: url, title: article.title,
            summary: article.summary, contentMarkdown: article.body, slug: article.slug,
            authors: article.authors.map(\.name), tags: article.tags.map(\.name),
            language: article.language, publishedAt: article.publishedAt,
            updatedAt: article.updatedAt)
        entry.contentHTML = article.bodyHTML.map { html in
            HTMLFragment(html)?.resolvingAddresses(against: url) ?? html
        }
        entry.image = article.heroImage.map {
            FeedEntry.Image(url: $0.url, alternativeText: $0.alternativeText)
        }
        return entry
    }
}

extension FeedQuery {
    /// The filters, for people.
    fileprivate var description: String {
        let times = [
            ("published after", publishedAfter), ("published before", publishedBefore),
        ].compactMap { words, time in time.map { "\(words) \($0)" } }
        let texts = [("by the author", author?.description), ("in", language), ("from", source)]
            .compactMap { words, text in text.map { "\(words) \($0)" } }
        let tags = tags.isEmpty ? [] : ["tagged " + tags.joined(separator: ", ")]
        let filters = tags + texts + times
        return filters.isEmpty ? "" : "Articles " + filters.joined(separator: ", ")
    }
}
