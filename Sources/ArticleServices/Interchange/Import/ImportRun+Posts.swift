package import ArticleAPI
import ArticleStore
import Platform

extension ImportRun {
    /// Maximum file size in bytes: the largest body plus the largest front matter.
    static let limitPostBytes = ArticleLimits.bodyBytes + FrontMatter.limitBytes

    /// Imports a Markdown file.
    mutating func takePost(_ file: ImportFile) async throws(InterchangeError) {
        defer { finish(bytes: file.sizeBytes) }
        var bytes: [UInt8]?
        do throws(SystemError) {
            // The size is checked first, so that an oversized file is not read.
            if file.sizeBytes <= Self.limitPostBytes {
                bytes = try FileReader.bytes(of: file.path, limitBytes: Self.limitPostBytes)
            }
        } catch {
            return report.fail(file.path, error.reason)
        }
        guard let bytes else {
            return report.fail(file.path, "is larger than \(Self.limitPostBytes) bytes")
        }
        let name = file.path.split(separator: "/").last.map(String.init) ?? file.path
        try await takePost(bytes, name: name, path: file.path, identity: file.identity)
    }

    /// Imports the contents of a Markdown file.
    mutating func takePost(
        _ bytes: [UInt8], name: String, path: String, identity: String
    ) async throws(InterchangeError) {
        let post: MarkdownPost
        do throws(FrontMatterError) { post = try MarkdownPost(bytes, name: name) } catch {
            return report.fail(path, line: error.line, error.description)
        }
        let draft = post.draft
        if let fault = draft.faults.first {
            let line = post.line(ofFaultAt: fault.path, in: bytes)
            return report.fail(path, line: line, "\(fault.path) \(fault.message)")
        }
        guard var item = item(of: draft, identity: identity, bytes: bytes, path: path, line: 1)
        else { return }
        item.content.slug = post.slugChoice
        item.keepsSlug = post.frontMatter.slug == nil
        try await add(item, path: path, line: nil, omissions: post.frontMatter.leftOut)
    }
}

extension MarkdownPost {
    /// The post as a draft in NFC; not validated.
    package var draft: Article.Draft {
        Article.Draft(
            title: title.inNFC, summary: frontMatter.summary?.inNFC ?? "", body: body.inNFC,
            language: frontMatter.language, authors: frontMatter.authors.map { .name($0.inNFC) },
            tags: frontMatter.tags.map(\.inNFC),
            heroImage: frontMatter.heroImage.map {
                Article.HeroImage(url: $0.url, alternativeText: $0.alternativeText?.inNFC)
            },
            status: frontMatter.status ?? (frontMatter.isPublished ? .published : .draft),
            publishedAt: frontMatter.date,
            source: frontMatter.source.map {
                Article.Source(name: $0.name.inNFC, url: $0.url)
            })
    }

    /// The slug from the front matter, else from the file name, else from the title. Translations
    /// of a post may share one, so a suffix is added if it is taken.
    var slugChoice: SlugChoice {
        for words in [frontMatter.slug, addressName, title] {
            if let words, Slug.fault(words.inNFC) == nil { return .like(words.inNFC) }
            if let slug = words.flatMap(Slug.init(title:)) { return .like(slug.text) }
        }
        return .keep
    }

    /// The line of the attribute at fault, as far as it can be determined.
    func line(ofFaultAt path: JSONPath, in bytes: [UInt8]) -> Int {
        guard case .name(let attribute)? = path.steps.first else { return 1 }
        if attribute == "body" { return bodyLine }
        let keys: [String] =
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
        let lines = bytes.split(
            separator: UInt8(ascii: "\n"), maxSplits: bodyLine, omittingEmptySubsequences: false)
        let found = lines.prefix(bodyLine - 1).firstIndex { line in
            keys.contains { line.starts(with: "\($0):".utf8) }
        }
        return found.map { $0 + 1 } ?? 1
    }
}
