import ArticleAPI
import ArticleStore
import BroadsheetHTTP
import BroadsheetMarkup

/// An image of an export.
struct BlogImage: Sendable {
    var url: String
    /// On one line; `nil` if it is empty.
    var alternativeText: String?

    init(_ url: String, alternativeText: String?) {
        self.url = url
        let text = alternativeText?.onOneLine ?? ""
        self.alternativeText = text.isEmpty ? nil : text
    }

    /// The approximate size in memory.
    package var bytes: Int { 100 + url.utf8.count + (alternativeText?.utf8.count ?? 0) }
}

/// An article of another program's export, before its HTML is converted.
struct BlogPost: Sendable {
    /// Identifies it within its blog, on one line: `post:12`.
    package var key: String
    var title = ""
    package var slug: String?
    /// Other slugs that led to it.
    var formerSlugs: [String] = []
    var summary: String?
    var html = ""
    /// The text, if it is Markdown.
    var markdown: String?
    /// Number of parts of the text that were left out, because not everybody could read them.
    var restrictedParts = 0
    package var authors: [String] = []
    package var tags: [String] = []
    var language: String?
    package var status = Article.Status.draft
    var publishedAt: Timestamp?
    var image: BlogImage?
    package var source: String?
    /// The base against which relative URLs are resolved.
    var base: String?
    /// Notes about it for the operator.
    var notes: [String] = []

    /// Maximum number of posts in one file.
    static let limitInFile = 1_000_000

    /// The bytes that are compared with those of the last import.
    package var bytes: [UInt8] {
        let texts: [String?] =
            [
                key, title, slug, summary, markdown ?? html, language, "\(status)",
                publishedAt.map { "\($0)" }, image?.url, image?.alternativeText, source, base,
            ] + [nil] + formerSlugs + [nil] + authors + [nil] + tags
        return Array(texts.map { $0 ?? "\u{1}" }.joined(separator: "\u{0}").utf8)
    }

    /// Makes a post a draft that would be public otherwise.
    ///
    /// - Parameter reason: such as `it was private`.
    mutating func hold(_ reason: String) {
        guard status != .draft else { return }
        status = .draft
        notes.append("\(reason), so it became a draft")
    }

    /// Takes the parts of a text that all could read.
    package mutating func take(_ parts: UnrestrictedHTML) -> String {
        restrictedParts = parts.leftOut
        if parts.leftOut > 0 {
            notes.append("left out: parts with restricted access (\(parts.leftOut))")
        }
        return parts.html
    }

    /// Returns the post as a draft in NFC, not validated, and notes about parts that were left out.
    package func draft(limits: HTMLLimits) throws(HTMLError) -> (
        draft: Article.Draft, notes: [String]
    ) {
        var post = self
        let body: String
        if let markdown {
            body = markdown
        } else {
            let converted = try MarkdownFromHTML(base: base, limits: limits).convert(html)
            body = converted.markdown
            if !converted.leftOut.isEmpty {
                let parts = converted.leftOut.map { "\($0.kind.rawValue) (\($0.count))" }
                post.notes.append("left out: \(parts.joined(separator: ", "))")
            }
        }
        if restrictedParts > 0, body.allSatisfy(\.isWhitespace) {
            post.hold("all of it had restricted access")
        }
        return post.draft(body: body)
    }

    private func draft(body: String) -> (draft: Article.Draft, notes: [String]) {
        var notes = notes
        var front = FrontMatter()
        front.summary = summary
        front.authors = authors
        front.tags = tags
        front.language = language.flatMap {
            LanguageTag($0.replacing(bytesOf: "_", with: "-"))?.text
        }
        front.status = status
        front.date = publishedAt
        if let image {
            let url = Reference.resolve(image.url, against: base) ?? image.url
            if WebAddress.fault(url) == nil {
                front.setImage(url, alternativeText: image.alternativeText)
            } else {
                notes.append("its image is not an absolute http(s) URL and was omitted")
            }
        }
        let source = source.flatMap { Reference.resolve($0, against: nil) }
        if let source, WebAddress.fault(source) == nil {
            front.source = Article.Source(name: FrontMatter.host(of: source), url: source)
        }
        let draft = front.draft(title: title.inNFC, body: body.inNFC)
        return (draft, notes)
    }

    /// The slug it had, else one from its title; a suffix is added if it is taken.
    var slugChoice: SlugChoice {
        for words in [slug, title] {
            if let words, Slug.fault(words.inNFC) == nil { return .like(words.inNFC) }
            if let slug = words.flatMap(Slug.init(title:)) { return .like(slug.text) }
        }
        return .keep
    }
}

/// The tags or the authors of a post: each once, ignoring case, in their order.
struct BlogNames: Sendable {
    private(set) var names: [String] = []
    private var known: Set<String> = []

    /// Maximum number of names; further ones are ignored. No article may have as many.
    package static let limit = 500

    var isFull: Bool { names.count >= Self.limit }

    package mutating func append(_ name: String) {
        let name = String(name.trimmingSpaces)
        guard !isFull, !name.isEmpty, known.insert(name.lowercased()).inserted else { return }
        names.append(name)
    }
}

extension String {
    /// The text of HTML on one line: titles may contain references and styles.
    var withoutMarkup: String {
        let hasMarkup = contains("&") || contains("<")
        return (hasMarkup ? HTMLFragment(self)?.text ?? self : self).onOneLine
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
