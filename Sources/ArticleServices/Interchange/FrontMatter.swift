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
        try readHeroImage(fields)
        try readSource(fields)
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
        let keys = [
            "hero_image", "hero-image", "heroImage", "featured_image", "featured-image", "image",
            "cover",
        ]
        for key in keys {
            guard let image = try fields.record(key, mainKeys: ["url", "path", "src"]) else {
                continue
            }
            guard WebAddress.fault(image.main) == nil else {
                leftOut.append(LeftOut(key: key, line: image.line))
                continue
            }
            let text = image.others["alt"] ?? image.others["alternativeText"]
            heroImage = Article.HeroImage(url: image.main, alternativeText: text)
            return
        }
    }

    private mutating func readSource(_ fields: FrontMatterFields) throws(FrontMatterError) {
        for key in ["original_url", "canonical_url", "canonical", "source"] {
            guard let found = try fields.record(key, mainKeys: ["url", "name"]) else { continue }
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
    private static func host(of address: String) -> String {
        let authority = address.split(separator: "/", maxSplits: 2)[1]
        let host = authority.prefix { $0 != "?" && $0 != "#" && $0 != ":" }.lowercased()
        return host.hasPrefix("www.") ? String(host.dropFirst(4)) : host
    }
}
