import ArticleAPI
import BroadsheetHTTP
import BroadsheetMarkup

/// The posts of an export of Ghost, which is one JSON value.
struct GhostExport {
    private let posts: [GhostRecord]
    /// The index of the first page that is not among the posts.
    private let pageStart: Int
    private let details: [String: GhostRecord]
    private let tags: [String: GhostRecord]
    private let users: [String: GhostRecord]
    private let tagsOfPost: [String: [String]]
    private let authorsOfPost: [String: [String]]
    private let slugs: Set<String>
    private let redirects: GhostRedirects
    private let siteURL: String?

    /// Maximum size of a file.
    package static let limitBytes = 128 << 20
    /// Maximum number of values in it.
    static let limitValues = 10_000_000

    /// Returns true if a file with these first bytes may be an export.
    static func mayBegin(with start: some Collection<UInt8>) -> Bool {
        let text = String(decoding: start, as: UTF8.self)
        return ["\"db\"", "\"data\"", "\"posts\""].contains(where: text.contains)
    }

    static func isExport(_ value: JSONValue) -> Bool {
        data(in: value) != nil || GhostRecord(value).isList("db")
    }

    /// The part of a value that has posts; `nil` if it is not an export. Older versions have no
    /// `db`, and the content API neither that nor `data`.
    private static func data(in value: JSONValue) -> GhostRecord? {
        let root = GhostRecord(value)
        if let data = root.records("db").first?.record("data") ?? root.record("data") {
            return data.isList("posts") ? data : nil
        }
        let isContent = root.records("posts").first.map { post in
            ["html", "lexical", "mobiledoc"].contains { post[$0] != nil }
        }
        return isContent == true ? root : nil
    }

    /// - Parameter siteURL: takes the place of `__GHOST_URL__`.
    /// - Throws: if the value does not have the shape of an export.
    init(_ value: JSONValue, redirects: GhostRedirects, siteURL: String?) throws(LineFault) {
        guard let data = Self.data(in: value) else {
            throw LineFault(reason: "it is not an export of Ghost: there is no $.db[0].data.posts")
        }
        pageStart = data.records("posts").count
        posts = data.records("posts") + data.records("pages")
        details = Self.index(data.records("posts_meta"), by: "post_id")
        tags = Self.index(data.records("tags"), by: "id")
        users = Self.index(data.records("users"), by: "id")
        tagsOfPost = Self.links(data.records("posts_tags"), to: "tag_id")
        authorsOfPost = Self.links(data.records("posts_authors"), to: "author_id")
        slugs = Set(posts.lazy.compactMap { $0.text("slug") })
        self.redirects = redirects
        self.siteURL = siteURL.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    }

    var count: Int { posts.count }

    /// One of the posts; the reason if it cannot be imported.
    func post(at index: Int) -> Result<BlogPost, LineFault> {
        let record = posts[index]
        guard let id = record.text("id"), !id.isEmpty, id.utf8.count <= 200,
            id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return .failure(LineFault(reason: "it has no id")) }
        var post = BlogPost(key: "post:\(id)")
        post.slug = record.text("slug")
        post.title = record.text("title")?.trimmingSpaces.description ?? ""
        if post.title.isEmpty { post.title = post.slug ?? post.key }
        // A new post that has taken a former slug keeps it.
        post.formerSlugs = (post.slug.map(redirects.formerSlugs) ?? []).filter {
            !slugs.contains($0)
        }
        post.summary = record.text("custom_excerpt") ?? record.text("meta_description")
        post.language = record.text("locale")
        post.source = record.text("canonical_url").map(resolved)
        post.base = siteURL.map { "\($0)/" }
        readText(of: record, &post)
        readNames(id, record, &post)
        if let url = record.text("feature_image") ?? record.text("image") {
            let alternative = details[id]?.text("feature_image_alt")
            post.image = BlogImage(resolved(url), alternativeText: alternative)
        }
        if index >= pageStart || record.text("type") == "page" || record.isTrue("page") {
            post.notes.append("it is a page, and became an article")
        }
        readStatus(id, record, &post)
        return .success(post)
    }

    /// Reads the text: the parts that all could read or, if all of it is for members, the whole.
    private func readText(of record: GhostRecord, _ post: inout BlogPost) {
        let html = record.text("html")
        if let text = html ?? record.text("markdown") {
            if siteURL == nil, text.contains(bytesOf: "__GHOST_URL__") {
                post.notes.append(
                    "its URLs are relative because the URL of the site was not given")
            }
            let whole = resolved(text)
            let open = isPublic(record) ? post.take(UnrestrictedHTML(whole)) : whole
            if html == nil { post.markdown = open } else { post.html = open }
        } else if let text = record.text("plaintext") {
            post.notes.append(
                "the export has no HTML for it, so only its plain text was imported")
            let paragraphs = text.htmlEscaped.replacing(bytesOf: "\n\n", with: "</p><p>")
            post.html = "<p>\(paragraphs)</p>"
        } else if record.has("lexical") || record.has("mobiledoc") {
            post.notes.append("the export has no HTML for it, so its text is empty")
        }
    }

    private func isPublic(_ record: GhostRecord) -> Bool {
        !record.has("visibility") || record.text("visibility") == "public"
    }

    private func resolved(_ text: String) -> String {
        text.replacing(bytesOf: "__GHOST_URL__", with: siteURL ?? "").streamSafe
    }

    private func readNames(_ id: String, _ record: GhostRecord, _ post: inout BlogPost) {
        var tags = BlogNames()
        var authors = BlogNames()
        for tag in tagsOfPost[id] ?? [] {
            // Tags that begin with a number sign are for the theme.
            guard let found = self.tags[tag], let name = found.text("name"),
                !name.hasPrefix("#"), found.text("visibility") != "internal"
            else { continue }
            tags.append(name)
        }
        for user in authorsOfPost[id] ?? record.text("author_id").map({ [$0] }) ?? [] {
            if let name = users[user]?.text("name") { authors.append(name) }
        }
        post.tags = tags.names
        post.authors = authors.names
    }

    /// Reads the status: a post that only some could read there, or perhaps, is a draft here.
    private func readStatus(_ id: String, _ record: GhostRecord, _ post: inout BlogPost) {
        let status = record.text("status")
        post.publishedAt = record.time("published_at")
        if status == "draft" { return }
        post.status = status == "scheduled" ? .scheduled : .published
        if status == "published", post.publishedAt == nil {
            post.publishedAt = record.time("created_at")
        }
        if status == "sent" || details[id]?.isTrue("email_only") == true {
            return post.hold("it was sent as a newsletter only")
        }
        guard status == "published" || status == "scheduled" else {
            let unknown = status.map { "its status \"\($0)\" is not known" }
            return post.hold(unknown ?? "it has no status")
        }
        if !isPublic(record) { return post.hold("it had restricted access") }
        if post.status == .scheduled, post.publishedAt == nil {
            return post.hold("it has no date")
        }
        if record.text("html") == nil, record.text("markdown") == nil {
            return post.hold("it has no HTML")
        }
        // A card that Ghost shows in newsletters only.
        if post.html.contains(bytesOf: "kg-email") { post.hold("it has a part for newsletters") }
    }

    // MARK: Tables

    private static func index(_ records: [GhostRecord], by name: String) -> [String: GhostRecord] {
        Dictionary(
            records.compactMap { record in record.text(name).map { ($0, record) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// The ids that each post is linked with, in their order.
    private static func links(_ records: [GhostRecord], to name: String) -> [String: [String]] {
        var links: [String: [(order: Int64, id: String)]] = [:]
        for record in records {
            guard let post = record.text("post_id"), let id = record.text(name) else { continue }
            links[post, default: []].append((record.integer("sort_order") ?? 0, id))
        }
        // Sorting is stable.
        return links.mapValues {
            $0.sorted { $0.order < $1.order }.prefix(BlogNames.limit).map(\.id)
        }
    }
}

/// An object of an export; attributes of another kind count as absent.
struct GhostRecord: Sendable {
    private let members: [JSONValue.Member]

    init(_ value: JSONValue) {
        if case .object(let members) = value { self.members = members } else { members = [] }
    }

    subscript(_ name: String) -> JSONValue? { members.first { $0.name == name }?.value }

    func has(_ name: String) -> Bool {
        switch self[name] {
        case nil, .null?: false
        default: true
        }
    }

    /// A text that is not empty, or an integer as a text, as ids were in older versions.
    func text(_ name: String) -> String? {
        switch self[name] {
        case .string(let text): text.isEmpty ? nil : text
        case .number(let number): number.text
        default: nil
        }
    }

    func integer(_ name: String) -> Int64? {
        if case .number(let number)? = self[name] { number.integer } else { nil }
    }

    func isTrue(_ name: String) -> Bool { self[name] == .boolean(true) || integer(name) == 1 }

    func isList(_ name: String) -> Bool {
        if case .array? = self[name] { true } else { false }
    }

    package func record(_ name: String) -> GhostRecord? { self[name].map(GhostRecord.init) }

    func records(_ name: String) -> [GhostRecord] {
        guard case .array(let items)? = self[name] else { return [] }
        return items.map(GhostRecord.init)
    }

    /// A date and time, or milliseconds since 1970, as in older versions.
    func time(_ name: String) -> Timestamp? {
        if let milliseconds = integer(name) { return Timestamp(milliseconds: milliseconds) }
        return text(name).flatMap { Timestamp(frontMatter: $0) }
    }
}
