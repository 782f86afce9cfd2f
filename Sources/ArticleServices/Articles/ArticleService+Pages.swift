import ArticleAPI
import ArticleStore

extension BodyHTML {
    /// Whether the selected attributes include the HTML, which is not included by default.
    static func isAskedFor(by fields: FieldSelection?) -> Bool {
        fields?.contains("bodyHTML") ?? false
    }
}

extension ArticleService {
    /// How long a page may wait for bodies to be rendered for the first time; after that it is cut
    /// short.
    private static let patience = Duration.seconds(1)

    /// The renderer's name if the response contains its output, as a new renderer changes the
    /// response without an edit.
    func renderer(of fields: FieldSelection?) -> String? {
        BodyHTML.isAskedFor(by: fields) ? MarkdownRenderer.name : nil
    }

    /// The page with its HTML, cut to the size limit for pages but to no less than one article.
    func bounded(
        _ slice: ArticleSlice, _ fields: FieldSelection?, in sort: ArticleSort
    ) async throws -> ArticleSlice {
        var slice = slice
        let count = slice.items.count
        if BodyHTML.isAskedFor(by: fields) { slice.items = try await withHTML(slice.items) }
        slice.items = Self.prefix(of: slice.items, fields)
        if slice.items.count < count, let last = slice.items.last {
            slice.next = ArticlePosition(of: last, in: sort)
        }
        return slice
    }

    /// Articles with their bodies as HTML, cut short when first-time rendering takes too long.
    ///
    /// A body that was written before HTML was supported, restored, or rendered by an older library
    /// is rendered here once: the store keeps the result.
    func withHTML(_ articles: [Article]) async throws -> [Article] {
        let kept = try await store.bodyHTML(of: articles, by: MarkdownRenderer.name)
        let start = ContinuousClock.now
        var complete: [Article] = []
        for (article, kept) in zip(articles, kept) {
            var article = article
            if let kept {
                article.bodyHTML = kept.html
            } else {
                if !complete.isEmpty, start.duration(to: .now) > Self.patience { break }
                article.bodyHTML = try await rendered(article)
            }
            complete.append(article)
        }
        return complete
    }

    /// `nil` for a body that the renderer rejects; this result is stored as well.
    private func rendered(_ article: Article) async throws(ServiceError) -> String? {
        var html: String?
        do throws(ServiceError) {
            html = try await markdown.render(article.body ?? "").html
        } catch {
            guard case .invalid = error else { throw error }
        }
        // If it cannot be stored, it is rendered again for the next reader.
        try? await store.keepBodyHTML(
            BodyHTML(renderer: MarkdownRenderer.name, html: html), of: article.id,
            revision: article.revision)
        return html
    }

    /// The leading articles that fit in the size limit of a page.
    private static func prefix(of articles: [Article], _ fields: FieldSelection?) -> [Article] {
        let limit = ArticleLimits.pageBytes
        // In JSON a byte becomes at most six, so small pages need not be measured.
        guard articles.reduce(0, { $0 + $1.textBytes }) > limit / 6 else { return articles }
        var bytes = 0
        let count = articles.prefix { article in
            bytes += article.jsonBytes(fields)
            return bytes <= limit
        }.count
        return Array(articles.prefix(max(count, 1)))
    }
}

extension Article {
    /// The size of the article as JSON in bytes, computed without encoding long texts.
    fileprivate func jsonBytes(_ fields: FieldSelection?) -> Int {
        var rest = self
        (rest.body, rest.bodyHTML) = (nil, nil)
        var bytes = rest.json(fields).count
        for (name, text) in [("body", body), ("bodyHTML", bodyHTML)] {
            guard let text, fields?.contains(name) ?? true else { continue }
            // With quotation marks, colon and comma.
            bytes += name.utf8.count + 4 + JSONWriter.bytes(of: text)
        }
        return bytes
    }

    /// An estimate of the article's size in bytes.
    var textBytes: Int {
        let names = tags.reduce(0) { $0 + $1.name.utf8.count + $1.key.utf8.count }
        let byline = authors.reduce(0) { $0 + $1.name.utf8.count }
        return 1_000 + title.utf8.count + summary.utf8.count + (body?.utf8.count ?? 0)
            + (bodyHTML?.utf8.count ?? 0) + names + byline
            + (heroImage?.alternativeText?.utf8.count ?? 0) + (heroImage?.url.utf8.count ?? 0)
            + (source?.url?.utf8.count ?? 0) + 100 * authors.count
    }
}
