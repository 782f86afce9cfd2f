import ArticleAPI
import ArticleStore

extension BodyHTML {
    /// Whether a choice of attributes has the HTML in it; without a choice it is left out.
    static func isAskedFor(by fields: FieldSelection?) -> Bool {
        fields?.contains("bodyHTML") ?? false
    }
}

extension ArticleService {
    /// How long a page may wait for bodies that were never rendered; it then comes back short.
    private static let patience = Duration.seconds(1)

    /// What makes an answer another one without any edit: the renderer, where its work is in it.
    func renderer(of fields: FieldSelection?) -> String? {
        BodyHTML.isAskedFor(by: fields) ? MarkdownRenderer.name : nil
    }

    /// The page with all that it shows, cut to what a page may hold; one article always stays.
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

    /// Articles with their bodies as HTML, from the first on; the rest is left out when rendering
    /// what was never rendered has taken its time.
    ///
    /// A body that was written before there was HTML, restored, or rendered by an older library is
    /// rendered here, once: the store keeps it.
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

    /// `nil` for a body that the renderer refuses: that is kept as well.
    private func rendered(_ article: Article) async throws(ServiceError) -> String? {
        var html: String?
        do throws(ServiceError) {
            html = try await markdown.render(article.body ?? "").html
        } catch {
            guard case .invalid = error else { throw error }
        }
        // Without room for it the next reader has it rendered again.
        try? await store.keepBodyHTML(
            BodyHTML(renderer: MarkdownRenderer.name, html: html), of: article.id,
            revision: article.revision)
        return html
    }

    /// As many articles, from the first on, as a page may hold of bytes.
    private static func prefix(of articles: [Article], _ fields: FieldSelection?) -> [Article] {
        let limit = ArticleLimits.pageBytes
        // In JSON a byte becomes six at most: small pages need not be measured.
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
    /// Bytes of the article as JSON, without writing what is long.
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

    /// Bytes of all that may be long.
    var textBytes: Int {
        let names = tags.reduce(0) { $0 + $1.name.utf8.count + $1.key.utf8.count }
        let byline = authors.reduce(0) { $0 + $1.name.utf8.count }
        return 1_000 + title.utf8.count + summary.utf8.count + (body?.utf8.count ?? 0)
            + (bodyHTML?.utf8.count ?? 0) + names + byline
            + (heroImage?.alternativeText?.utf8.count ?? 0) + (heroImage?.url.utf8.count ?? 0)
            + (source?.url?.utf8.count ?? 0) + 100 * authors.count
    }
}
