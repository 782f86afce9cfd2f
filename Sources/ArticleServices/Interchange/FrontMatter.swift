package import ArticleAPI

/// The metadata at the beginning of a Markdown post, with the keys that Jekyll uses.
///
/// Unknown keys are ignored. An article's limits (lengths, numbers of tags) are not checked here
/// but by the validation that all drafts share.
package struct FrontMatter: Sendable, Hashable {
    /// `title`.
    package var title: String?
    /// `summary`, `description` or `excerpt`.
    package var summary: String?
    /// `slug`, or the last part of `permalink`.
    package var slug: String?
    /// `date`.
    package var date: Timestamp?
    /// `author` or `authors`: names in the order of the byline.
    package var authors: [String] = []
    /// `category`, `categories`, `tag` and `tags`, without duplicates.
    package var tags: [String] = []
    /// `lang`, `language` or `locale`: a BCP 47 tag.
    package var language: String?
    /// `published`, or the opposite of `draft`.
    package var isPublished = true
    /// `status`: `draft`, `published`, `scheduled` or `archived`; other values are ignored.
    package var status: Article.Status?
    /// `image`, `hero_image`, `featured_image` or `cover` (also with `-`): a URL, or `url` and
    /// `alt`.
    package var heroImage: Article.HeroImage?
    /// `original_url`, `canonical_url`, `canonical` or `source`; the name defaults to the URL's
    /// host.
    package var source: Article.Source?
    /// `comments`: `open`, `moderated` or `closed`, or `false` for the latter; other values are
    /// ignored.
    package var comments: CommentPolicy?
    /// Attributes that were omitted without rejecting the post.
    package var leftOut: [LeftOut] = []

    /// An attribute that was omitted: an image without an absolute URL, or a source that is not a
    /// URL.
    package struct LeftOut: Sendable, Hashable {
        package var key: String
        /// The line in the file, from 1.
        package var line: Int
    }

    /// Maximum size of the YAML in bytes.
    package static let limitBytes = 64 * 1024
    /// Maximum nesting depth of lists and mappings.
    package static let limitDepth = 16

    package init() {}

    /// Parses the YAML that begins on line `firstLine` of a file.
    init(yaml: ArraySlice<UInt8>, firstLine: Int) throws(FrontMatterError) {
        let fields = FrontMatterFields(try FrontMatterNode.mapping(of: yaml, firstLine: firstLine))
        title = try fields.text("title")
        summary = try fields.text("summary", "description", "excerpt")
        let permalink = try fields.text("permalink")
        slug = try fields.text("slug") ?? Self.lastPart(of: permalink)
        date = try fields.value("date", expected: "a date") { Timestamp(frontMatter: $0) }
        authors = try fields.names("author") + fields.names("authors")
        tags = try Self.tags(in: fields)
        language = try fields.value("lang", "language", "locale", expected: "a language tag") {
            LanguageTag($0.replacing("_", with: "-"))?.text
        }
        let isDraft = try fields.flag("draft") ?? false
        isPublished = try fields.flag("published") ?? !isDraft
        status = try fields.text("status").flatMap(Self.status)
        comments = try fields.text("comments").flatMap(Self.policy)
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

    private static func status(_ word: String) -> Article.Status? {
        switch word {
        case "draft": .draft
        case "published": .published
        case "scheduled": .scheduled
        case "archived": .archived
        default: nil
        }
    }

    /// The slug within a `permalink` like `/2016/01/hello.html`; `nil` for a pattern (`/:year/…`).
    private static func lastPart(of permalink: String?) -> String? {
        guard let permalink, !permalink.contains(":"),
            let last = permalink.split(separator: "/").last
        else { return nil }
        let name = last.hasSuffix(".html") ? last.dropLast(5) : last
        return name.isEmpty ? nil : String(name)
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
        for key in Self.keys(of: "heroImage") {
            guard let image = try fields.record(key, mainKeys: ["url", "path", "src"]) else {
                continue
            }
            guard WebAddress.fault(image.main) == nil else {
                leftOut.append(LeftOut(key: key, line: image.line))
                continue
            }
            let text = image.others["alt"] ?? image.others["alternativeText"]
            setImage(image.main, alternativeText: text)
            return
        }
    }

    /// Sets the main image to an absolute URL.
    mutating func setImage(_ url: String, alternativeText: String?) {
        heroImage = Article.HeroImage(url: url, alternativeText: alternativeText)
    }

    private mutating func readSource(_ fields: FrontMatterFields) throws(FrontMatterError) {
        for key in Self.keys(of: "source") {
            guard let found = try fields.record(key, mainKeys: ["url", "name"]) else { continue }
            if let name = found.others["name"], found.others["url"] == nil {
                source = Article.Source(name: name)
                return
            }
            if WebAddress.fault(found.main) == nil {
                let name = found.others["name"] ?? Self.host(of: found.main)
                source = Article.Source(name: name, url: found.main)
                return
            }
            if key == "source", !found.main.contains("/") {
                source = Article.Source(name: found.main)
                return
            }
            leftOut.append(LeftOut(key: key, line: found.line))
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
    func draft(title: String, body: String) -> Article.Draft {
        Article.Draft(
            title: title, summary: summary?.inNFC ?? "", body: body, language: language,
            authors: authors.map { .name($0.inNFC) }, tags: tags.map(\.inNFC),
            heroImage: heroImage.map {
                Article.HeroImage(url: $0.url, alternativeText: $0.alternativeText?.inNFC)
            },
            status: status ?? (isPublished ? .published : .draft), publishedAt: date,
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
    var lines: [String] {
        var lines: [String] = []
        if let title { lines.append("title: \(YAMLText.quoted(title))") }
        if let slug { lines.append("slug: \(YAMLText.quoted(slug))") }
        if let summary { lines.append("summary: \(YAMLText.quoted(summary))") }
        if let language { lines.append("lang: \(language)") }
        if let status, Self.status(status.name) != nil { lines.append("status: \(status.name)") }
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

    /// The keys that may hold an article's attribute; if there are several, the first is used.
    static func keys(of attribute: String) -> [String] {
        switch attribute {
        case "summary": ["summary", "description", "excerpt"]
        case "authors": ["author", "authors"]
        case "tags": ["category", "categories", "tag", "tags"]
        case "heroImage":
            [
                "hero_image", "hero-image", "heroImage", "featured_image", "featured-image",
                "image", "cover",
            ]
        case "source": ["original_url", "canonical_url", "canonical", "source"]
        default: [attribute]
        }
    }
}

extension Timestamp {
    /// Parses the date formats found in posts: `2016-1-29`, `2016-02-01 18:00`, `2016-02-01 9:00:00
    /// +0900`, or RFC 3339. Without an offset it is UTC.
    ///
    /// The text is normalized to RFC 3339, whose parser validates it.
    init?(frontMatter text: String) {
        let halves = text.split(maxSplits: 1) { $0 == " " || $0 == "T" || $0 == "t" }
        let date = (halves.first ?? "").split(separator: "-", omittingEmptySubsequences: false)
        guard date.count == 3 else { return nil }
        let day = "\(date[0])-\(Self.padded(date[1]))-\(Self.padded(date[2]))"
        guard halves.count == 2 else {
            self.init("\(day)T00:00:00Z")
            return
        }
        var time = halves[1].trimmingSpaces
        let offset = Self.takeOffset(from: &time)
        var parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count) else { return nil }
        let hour = Self.padded(parts.removeFirst())
        if parts.count == 1 { parts.append("00") }
        self.init("\(day)T\(hour):\(parts.joined(separator: ":"))\(offset)")
    }

    private static func padded(_ number: Substring) -> String {
        number.utf8.count == 1 ? "0\(number)" : String(number)
    }

    /// Removes and returns the offset `Z`, `UTC`, `GMT`, `+09`, `+0900` or `+09:00`; `Z` if there
    /// is none.
    private static func takeOffset(from time: inout Substring) -> String {
        for name in ["Z", "z", "UTC", "GMT"] where time.hasSuffix(name) {
            time = time.dropLast(name.count).trimmingSpaces
            return "Z"
        }
        guard let sign = time.lastIndex(where: { $0 == "+" || $0 == "-" }) else { return "Z" }
        let digits = time[sign...].dropFirst().filter { $0 != ":" }
        let offset =
            "\(time[sign])\(digits.prefix(2)):\(digits.count == 2 ? "00" : digits.dropFirst(2))"
        time = time[..<sign].trimmingSpaces
        return offset
    }
}

extension StringProtocol {
    /// The text without leading and trailing whitespace.
    var trimmingSpaces: SubSequence {
        let start = firstIndex { !$0.isWhitespace } ?? endIndex
        let end = lastIndex { !$0.isWhitespace }.map(index(after:)) ?? start
        return self[start..<end]
    }
}

/// Why and where a Markdown file could not be parsed.
///
/// The description does not contain the line, so that it can be shown as `path:line: description`.
package struct FrontMatterError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line in the file, from 1.
    package let line: Int
    package let reason: Reason

    package enum Reason: Sendable, Hashable {
        case invalidUTF8
        /// There is no closing `---`.
        case unclosed
        /// There are more than `FrontMatter.limitBytes` before the closing line.
        case tooLarge
        /// libyaml's error message.
        case malformed(String)
        /// The front matter is a list or a scalar, not a mapping.
        case notMapping
        /// Deeper than `FrontMatter.limitDepth`.
        case tooDeep
        /// An anchor or an alias. None is followed, as a few of them could expand to gigabytes.
        case reference
        /// A key that is not a scalar.
        case badKey
        /// A key with two different values.
        case duplicateKey(String)
        /// A known key with an invalid value.
        case invalidValue(key: String, expected: String)
    }

    package var description: String { description(of: "the front matter") }

    /// - Parameter yaml: what is at fault, with its article.
    func description(of yaml: String) -> String {
        switch reason {
        case .invalidUTF8: "not valid UTF-8"
        case .unclosed: "\(yaml) has no closing ---"
        case .tooLarge: "\(yaml) is larger than \(FrontMatter.limitBytes / 1024) KiB"
        case .malformed(let message): "\(yaml) is not valid YAML: \(message)"
        case .notMapping: "\(yaml) is not a mapping of keys to values"
        case .tooDeep: "\(yaml) is nested deeper than \(FrontMatter.limitDepth) levels"
        case .reference: "anchors and aliases are not supported in \(yaml)"
        case .badKey: "a key in \(yaml) is not plain text"
        case .duplicateKey(let key):
            "\(key) appears twice in \(yaml) with different values"
        case .invalidValue(let key, let expected): "\(key) is not \(expected)"
        }
    }
}
