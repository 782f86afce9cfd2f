package import ArticleAPI
import BroadsheetHTTP

/// The metadata at the beginning of a Markdown post, with the keys of Jekyll, Hugo and others.
///
/// Unknown keys are ignored. Keys are the same in any case, with and without `-` and `_`. An
/// article's limits (lengths, numbers of tags) are not checked here but by the validation that all
/// drafts share.
package struct FrontMatter: Sendable, Hashable {
    /// `title`.
    package var title: String?
    /// `summary`, `description` or `excerpt`.
    package var summary: String?
    /// `slug`, or the last part of `permalink`.
    package var slug: String?
    /// The latest of `date`, `publishDate`, `publishedAt`, `pubDate`, `published` and others.
    var date: Timestamp?
    /// `expiryDate` or `unpublishDate`, the earliest: from then on, the post was not public.
    var expiry: Timestamp?
    /// `author` or `authors`: names in the order of the byline.
    package var authors: [String] = []
    /// `category`, `categories`, `tag` and `tags`, without duplicates.
    package var tags: [String] = []
    /// `lang`, `language` or `locale`: a BCP 47 tag.
    package var language: String?
    /// The status according to `status`, `draft`, `published` and the other keys of
    /// `SourceVisibility`; `nil` for a published post.
    package var status: Article.Status?
    /// True if the posts below a section page of Hugo with this front matter are drafts.
    var hidesDescendants = false
    /// `image`, `hero_image`, `featured_image`, `cover` and others: a URL, or `url` and `alt`.
    var heroImage: Article.HeroImage?
    /// `original_url`, `canonical_url`, `canonical` or `source`; the name defaults to the URL's
    /// host.
    package var source: Article.Source?
    /// `comments`: `open`, `moderated` or `closed`, or `false` for the latter; other values are
    /// ignored.
    package var comments: CommentPolicy?
    package var notes: [Note] = []
    /// The lines of the values read, by the names of `keys(of:)`.
    private(set) var lines: [String: Int] = [:]

    /// A note about a post for the operator: parts that were omitted, or the reason why it became a
    /// draft.
    package struct Note: Sendable, Hashable {
        /// The line in the file, from 1.
        package var line: Int
        package var text: String
        package var makesDraft = false

        package var description: String {
            makesDraft ? "\(text), so it became a draft" : text
        }
    }

    /// Maximum size in bytes.
    package static let limitBytes = 64 * 1024
    /// Maximum nesting depth of lists and mappings.
    static let limitDepth = 16

    init() {}

    /// Makes a draft of a post that was to be published at a time that is not known.
    mutating func checkSchedule() {
        guard status == .scheduled, date == nil else { return }
        status = .draft
        let line = lines["status"] ?? 1
        notes.append(Note(line: line, text: "it is scheduled without a date", makesDraft: true))
    }

    /// Takes the values of the known keys.
    init(_ entries: FrontMatterNode.Entries) throws(FrontMatterError) {
        let fields = FrontMatterFields(entries)
        lines = fields.lines
        title = try fields.text("title")
        summary = try fields.text("summary", "description", "excerpt")
        let permalink = try fields.text("permalink")
        slug = try (fields.text("slug") ?? Self.lastPart(of: permalink))?.withoutPercentEncoding
        authors = try fields.names("author") + fields.names("authors")
        tags = try Self.tags(in: fields)
        language = try fields.value("lang", "language", "locale", expected: "a language tag") {
            LanguageTag($0.replacing(bytesOf: "_", with: "-"))?.text
        }
        comments = try fields.text("comments").flatMap(Self.policy)
        let visibility = SourceVisibility(entries)
        (status, notes) = (visibility.status, visibility.notes)
        hidesDescendants = visibility.hidesDescendants
        readTimes(fields)
        try readHeroImage(fields)
        try readSource(fields)
    }

    /// Jekyll's themes show comments unless this is `false`.
    private static func policy(_ word: String) -> CommentPolicy? {
        switch word {
        case "open": .open
        case "moderated": .moderated
        case "closed", "false", "no", "off": .closed
        default: nil
        }
    }

    /// Returns the slug within a `permalink` like `/2016/01/hello.html` or `/hello/index.html`;
    /// `nil` for a pattern (`/:year/…`, `/{{ title }}/`) and for a text that is not a path.
    private static func lastPart(of permalink: String?) -> String? {
        guard let permalink, !permalink.contains(where: { ":{".contains($0) }),
            permalink != "false"
        else { return nil }
        var parts = permalink.split(separator: "/").map { part in
            [".html", ".htm"].first(where: part.hasSuffix).map { part.dropLast($0.count) } ?? part
        }
        if parts.last == "index" { parts.removeLast() }
        return parts.last.flatMap { $0.isEmpty ? nil : String($0) }
    }

    /// Of several times of publication, the latest counts: nothing is public before it.
    private mutating func readTimes(_ fields: FrontMatterFields) {
        let times = self.times(of: Self.publicationKeys + ["date"], in: fields)
        let published = ["published", "publish"].flatMap { fields.entries($0) }
            .compactMap { $0.node.time }
        let flags = SourceVisibility.showingFlags.flatMap { fields.entries($0) }
            .compactMap { $0.node.time }
        date = (times + published + flags).max()
        expiry = self.times(of: Self.expiryKeys, in: fields).min()
    }

    static let publicationKeys = [
        "publishdate", "publisheddate", "publishedat", "publishedon", "datepublished", "pubdate",
        "embargo", "embargodate", "embargountil",
    ]
    static let expiryKeys = [
        "expirydate", "unpublishdate", "expires", "expiresat", "expirationdate", "expiredate",
    ]

    /// All of these times, in the order of the names. A time that cannot be read makes a draft, so
    /// that nothing is published too early.
    private mutating func times(of names: [String], in fields: FrontMatterFields) -> [Timestamp] {
        var times: [Timestamp] = []
        for (key, node) in names.flatMap({ fields.entries($0) }) where node.word != "" {
            if let time = node.time {
                times.append(time)
            } else {
                status = .draft
                notes.append(
                    Note(line: node.line, text: "\(key) is not a date", makesDraft: true))
            }
        }
        return times
    }

    /// The singular keys hold one tag unless it contains commas; the plural ones are also split at
    /// spaces.
    private static func tags(in fields: FrontMatterFields) throws(FrontMatterError) -> [String] {
        let all =
            try fields.words("category", splittingAtSpaces: false)
            + fields.words("categories", splittingAtSpaces: true)
            + fields.words("tag", splittingAtSpaces: false)
            + fields.words("tags", splittingAtSpaces: true)
        var seen: Set<String> = []
        return all.filter { seen.insert($0.lowercased()).inserted }
    }

    private mutating func readHeroImage(_ fields: FrontMatterFields) throws(FrontMatterError) {
        let mainKeys = ["url", "path", "src", "image", "teaser", "overlayimage"]
        for name in Self.keys(of: "heroImage") {
            guard let image = try fields.record(name, mainKeys: mainKeys),
                // A text, unless it is a mapping.
                name != "header" || !image.others.isEmpty
            else { continue }
            guard WebAddress.fault(image.main) == nil else {
                omit(image)
                continue
            }
            let text = image.others["alt"] ?? image.others["alternativetext"]
            setImage(image.main, alternativeText: text)
            return
        }
    }

    private mutating func omit(_ address: FrontMatterFields.Record) {
        let text = "\(address.key) is not an absolute http(s) URL and was omitted"
        notes.append(Note(line: address.line, text: text))
    }

    /// Sets the main image to an absolute URL.
    mutating func setImage(_ url: String, alternativeText: String?) {
        heroImage = Article.HeroImage(url: url, alternativeText: alternativeText)
    }

    private mutating func readSource(_ fields: FrontMatterFields) throws(FrontMatterError) {
        for name in Self.keys(of: "source") {
            guard let found = try fields.record(name, mainKeys: ["url", "name"]) else { continue }
            if let name = found.others["name"], found.others["url"] == nil {
                source = Article.Source(name: name)
                return
            }
            if WebAddress.fault(found.main) == nil {
                let name = found.others["name"] ?? Self.host(of: found.main)
                source = Article.Source(name: name, url: found.main)
                return
            }
            if name == "source", !found.main.contains("/") {
                source = Article.Source(name: found.main)
                return
            }
            omit(found)
        }
    }

    /// The host of an absolute URL without `www.`.
    static func host(of address: String) -> String {
        let authority = address.split(separator: "/", maxSplits: 2)[1]
        let host = authority.prefix { $0 != "?" && $0 != "#" && $0 != ":" }.lowercased()
        return host.hasPrefix("www.") ? String(host.dropFirst(4)) : host
    }
}

extension FrontMatter {
    /// A post with this front matter as a draft in NFC; not validated.
    package func draft(title: String, body: String) -> Article.Draft {
        Article.Draft(
            title: title, summary: summary?.inNFC ?? "", body: body, language: language,
            authors: authors.map { .name($0.inNFC) }, tags: tags.map(\.inNFC),
            heroImage: heroImage.map {
                Article.HeroImage(url: $0.url, alternativeText: $0.alternativeText?.inNFC)
            },
            status: status ?? .published, publishedAt: date,
            source: source.map { Article.Source(name: $0.name.inNFC, url: $0.url) },
            comments: comments)
    }

    /// The front matter of an article, from which an import makes the same article.
    init(of article: Article) {
        title = article.title
        summary = article.summary.isEmpty ? nil : article.summary
        slug = article.slug
        date = article.publishedAt
        authors = article.authors.map(\.name)
        tags = article.tags.map(\.name)
        language = article.language
        status = article.status
        heroImage = article.heroImage
        source = article.source
        comments = article.comments
    }

    /// The attributes that `init(of:)` and the decoding of an article require, and the body.
    package static let articleFields = FieldSelection([
        "id", "slug", "title", "summary", "body", "language", "authors", "tags", "heroImage",
        "status", "publishedAt", "createdAt", "updatedAt", "revision", "source", "wordCount",
        "readingMinutes", "comments",
    ])

    /// The lines of YAML that are parsed as this front matter, without the delimiters.
    var yaml: [String] {
        var lines: [String] = []
        if let title { lines.append("title: \(YAMLText.quoted(title))") }
        if let slug { lines.append("slug: \(YAMLText.quoted(slug))") }
        if let summary { lines.append("summary: \(YAMLText.quoted(summary))") }
        if let language { lines.append("lang: \(language)") }
        switch status {
        case nil, .unknown?: break
        case let status?: lines.append("status: \(status.name)")
        }
        if let date { lines.append("date: \(date)") }
        if !authors.isEmpty { lines.append("authors: \(YAMLText.list(authors))") }
        if !tags.isEmpty { lines.append("tags: \(YAMLText.list(tags))") }
        if let heroImage {
            let text = heroImage.alternativeText.map { [("alt", $0)] } ?? []
            lines.append("image: \(YAMLText.mapping([("url", heroImage.url)] + text))")
        }
        if let source {
            let url = source.url.map { [("url", $0)] } ?? []
            lines.append("source: \(YAMLText.mapping([("name", source.name)] + url))")
        }
        if let comments, Self.policy(comments.name) != nil {
            lines.append("comments: \(comments.name)")
        }
        return lines
    }

    /// The names of the keys that may hold an article's attribute (`FrontMatterFields.name(of:)`);
    /// if there are several, the first is used.
    package static func keys(of attribute: String) -> [String] {
        switch attribute {
        case "summary": ["summary", "description", "excerpt"]
        case "authors": ["author", "authors"]
        case "tags": ["category", "categories", "tag", "tags"]
        case "heroImage":
            [
                "heroimage", "featuredimage", "image", "cover", "coverimage", "hero", "banner",
                "header", "images", "thumbnail",
            ]
        case "source": ["originalurl", "canonicalurl", "canonical", "source"]
        default: [attribute.lowercased()]
        }
    }
}

extension Article.Draft {
    /// The alternative text of the image, if there is one.
    var imageText: String? {
        get { heroImage?.alternativeText }
        set { heroImage?.alternativeText = newValue }
    }
}
