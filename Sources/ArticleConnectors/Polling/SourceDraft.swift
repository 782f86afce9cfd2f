import ArticleAPI
import ArticleAdminAPI
import ArticleImportExport
import ArticleServiceCore
import ArticleStore
import BroadsheetFeeds
import BroadsheetMarkup

/// An entry of a source as an article, before its limits are checked.
struct SourceDraft: Sendable {
    /// The id of the article at its source, if that is a Broadsheet. The article here gets the
    /// same, so that it is recognized when it comes back from elsewhere.
    let id: Article.ID?
    /// The SHA-256 of the entry's identifier.
    package let key: [UInt8]
    /// The SHA-256 of the received entry, and of the source's settings. It does not depend on the
    /// conversion of entries to articles, so that a new version of this program changes none.
    let digest: [UInt8]
    /// Returns the article of the entry, or the reason why it cannot be imported. This takes time,
    /// for HTML becomes Markdown, and is not needed for unchanged entries.
    let content: @Sendable () -> Result<Article.Draft, SkipReason>
    /// True if the slug was derived from the title.
    let keepsSlug: Bool
    /// A note about parts that were left out or cut, without a reason to skip the entry; `nil` if
    /// there are none.
    let note: String?

    /// The reason why an entry is skipped.
    struct SkipReason: Error, Sendable {
        let reason: String
    }
}

extension SourceDraft {
    /// An entry of a feed.
    init(_ entry: FeedEntry, of feed: Feed, in source: ContentSource) {
        var hash = EntryHash(source)
        let parts: [String?] = [
            entry.url, entry.title, entry.summary, entry.contentMarkdown, entry.contentHTML,
            entry.contentText, entry.slug, entry.language ?? feed.language, entry.image?.url,
            entry.image?.alternativeText, (entry.publishedAt ?? entry.updatedAt)?.description,
        ]
        for part in parts { hash.add(part) }
        hash.add(entry.authors)
        hash.add(entry.tags)
        id = Self.articleID(entry.id)
        key = Self.key(id?.description ?? entry.id)
        digest = hash.finished()
        keepsSlug = entry.slug == nil
        let url = entry.url.flatMap { WebAddress.fault($0) == nil ? $0 : nil }
        let title = Self.title(entry.title, limit: ArticleLimits.title.upperBound)
        note = Self.note(entry, title ?? "", hasURL: url != nil)
        let draft = Article.Draft(
            slug: entry.slug, title: title ?? "",
            summary: ArticleFitter.cut(entry.summary, to: ArticleLimits.summary.upperBound),
            language: entry.language ?? feed.language,
            authors: ArticleFitter.names(entry.authors).map { .name($0) },
            tags: entry.tags,
            heroImage: entry.image.flatMap {
                WebAddress.fault($0.url) == nil
                    ? Article.HeroImage(
                        url: $0.url,
                        alternativeText: $0.alternativeText.map {
                            ArticleFitter.cut($0, to: ArticleLimits.alternativeText.upperBound)
                        }) : nil
            },
            publishedAt: entry.publishedAt ?? entry.updatedAt,
            source: Article.Source(name: source.name ?? Self.name(of: feed, source), url: url))
        content = { [draft] in
            var draft = draft
            do throws(HTMLError) {
                if title == nil {
                    let derived = entry.derivedTitle(at: feed.address ?? feed.id) ?? ""
                    draft.title = Self.title(derived, limit: ArticleLimits.title.upperBound) ?? ""
                }
                draft.body = try Self.body(of: entry)
                return Self.checked(draft, in: source)
            } catch {
                return .failure(SkipReason(reason: "\(Self.name(of: draft)): \(error)"))
            }
        }
    }

    /// An article of another Broadsheet.
    init(_ article: Article, at url: String?, in source: ContentSource) {
        var draft = article.draft
        draft.id = nil
        draft.owner = nil
        draft.comments = nil
        draft.authors = article.authors.map { .name($0.name) }
        draft.source =
            article.source ?? Article.Source(name: source.shownName, url: url)
        // Its slug is its id if the title has no letters.
        if Article.ID(article.slug) != nil { draft.slug = nil }
        var hash = EntryHash(source)
        hash.add(String(decoding: draft.json(), as: UTF8.self))
        id = article.id
        key = Self.key(article.id.description)
        digest = hash.finished()
        keepsSlug = draft.slug == nil
        note = nil
        content = { [draft] in Self.checked(draft, in: source) }
    }

    /// The key of an entry. An article of a Broadsheet has the same in its feeds and its changes.
    package static func key(_ id: String) -> [UInt8] { Digest.sha256(id.utf8) }

    /// The id of an article that a feed of Broadsheet, or one that quotes it, names as a URN.
    private static func articleID(_ text: String) -> Article.ID? {
        let prefix = "urn:uuid:"
        guard text.lowercased().hasPrefix(prefix) else { return nil }
        return Article.ID(String(text.dropFirst(prefix.count)))
    }

    /// Returns the draft with the source's settings; parts that do not fit are left out or, if an
    /// article cannot be without them, a reason to skip the entry.
    private static func checked(
        _ draft: Article.Draft, in source: ContentSource
    ) -> Result<Article.Draft, SkipReason> {
        var draft = draft
        draft.status = source.publishes ? .published : .draft
        draft.language = draft.language.flatMap { LanguageTag($0)?.text } ?? source.language
        draft.title = draft.title.inNFC
        draft.summary = draft.summary.inNFC
        draft.body = draft.body.inNFC
        draft.tags = ArticleFitter.tags(source.tags + draft.tags)
        if let slug = draft.slug, Slug.fault(slug) != nil { draft.slug = nil }
        let faults = draft.faults
        guard let first = faults.first else { return .success(draft) }
        return .failure(SkipReason(reason: "\(name(of: draft)): \(first.path) \(first.message)"))
    }

    /// Returns the name of the entry in a reason.
    private static func name(of draft: Article.Draft) -> String {
        draft.title.isEmpty ? "an entry" : "\"\(ArticleFitter.cut(draft.title, to: 60))\""
    }

    /// The text of an entry as Markdown.
    private static func body(of entry: FeedEntry) throws(HTMLError) -> String {
        if let markdown = entry.contentMarkdown { return markdown }
        let html = entry.contentHTML ?? html(ofPlain: entry.contentText ?? "")
        return try MarkdownFromHTML(base: entry.url).convert(html).markdown
    }

    /// Plain text as HTML: paragraphs are between blank lines.
    private static func html(ofPlain text: String) -> String {
        var html = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.allSatisfy(\.isWhitespace) {
                html += "</p>\n<p>"
            } else {
                html += String(line).htmlEscaped + "<br>\n"
            }
        }
        return text.isEmpty ? "" : "<p>\(html)</p>"
    }

    private static func note(_ entry: FeedEntry, _ title: String, hasURL: Bool) -> String? {
        let name = title.isEmpty ? "an entry" : "\"\(ArticleFitter.cut(title, to: 60))\""
        let link = hasURL ? nil : entry.unusableLink ?? entry.url
        if let link = link?.onOneLine {
            let link = ArticleFitter.cut(link, to: 200)
            return "\(name): its link \(link) is not an http(s) URL and was omitted"
        }
        if let image = entry.image?.url, WebAddress.fault(image) != nil {
            let image = ArticleFitter.cut(image, to: 200)
            return "\(name): its image \(image) is not an http(s) URL and was omitted"
        }
        return entry.title.unicodeScalars.count > ArticleLimits.title.upperBound
            ? "\(name): its title was cut to \(ArticleLimits.title.upperBound) characters" : nil
    }

    /// Returns the title of a feed, or else the name of its source.
    static func name(of feed: Feed, _ source: ContentSource) -> String {
        title(feed.title) ?? source.shownName
    }

    /// Returns a title or a name as one line of at most `limit` characters, by default as for that
    /// of a source; `nil` if there is none.
    static func title(
        _ text: String, limit: Int = ArticleLimits.sourceName.upperBound
    ) -> String? {
        let line = ArticleFitter.line(text, to: limit)
        return line.allSatisfy(\.isWhitespace) ? nil : line
    }
}

/// Hashes parts, each with its length, so that no two lists of parts have the same bytes.
private struct EntryHash {
    private var bytes: [UInt8] = []

    /// Begins with the parts of articles that the settings of the source add.
    init(_ source: ContentSource) {
        add(source.name)
        add(source.publishes ? "published" : "draft")
        add(source.language)
        add(source.tags)
    }

    mutating func add(_ part: String?) {
        bytes += (part.map { "\($0.utf8.count):" } ?? "-").utf8
        bytes += (part ?? "").utf8
    }

    mutating func add(_ parts: [String]) {
        bytes += "\(parts.count);".utf8
        for part in parts { add(part) }
    }

    func finished() -> [UInt8] { Digest.sha256(bytes) }
}
