import ArticleAPI

/// The posts of an export of Ghost, which is one JSON value.
struct GhostExport {
    private let posts: [GhostRecord]
    private let details: [String: GhostRecord]
    private let tags: [String: GhostRecord]
    private let users: [String: GhostRecord]
    private let tagsOfPost: [String: [String]]
    private let authorsOfPost: [String: [String]]
    private let slugs: Set<String>
    private let redirects: GhostRedirects
    private let siteURL: String?

    /// Maximum size of a file.
    static let limitBytes = 128 << 20
    /// Maximum number of values in it.
    static let limitValues = 10_000_000

    /// Whether a file's first bytes are those of an export.
    static func isExport(_ start: some Collection<UInt8>) -> Bool {
        let blank: [UInt8] = [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D]
        let text = String(
            decoding: start.lazy.filter { !blank.contains($0) }.prefix(200), as: UTF8.self)
        return text.hasPrefix("{\"db\":[{\"meta\":") || text.hasPrefix("{\"meta\":{")
            || text.hasPrefix("{\"db\":[{\"data\":")
    }

    /// - Parameter siteURL: takes the place of `__GHOST_URL__`.
    /// - Throws: if the value does not have the shape of an export.
    init(_ value: JSONValue, redirects: GhostRedirects, siteURL: String?) throws(LineFault) {
        let root = GhostRecord(value)
        let data = (root.records("db").first ?? root).record("data")
        guard let data, data.has("posts") else {
            throw LineFault(reason: "it is not an export of Ghost: there is no $.db[0].data.posts")
        }
        posts = data.records("posts")
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
        post.html = html(of: record, &post.notes)
        readNames(id, record, &post)
        if let url = record.text("feature_image") ?? record.text("image") {
            let alternative = details[id]?.text("feature_image_alt")
            post.image = BlogImage(resolved(url), alternativeText: alternative)
        }
        if record.text("type") == "page" || record.isTrue("page") {
            post.notes.append("it is a page, and became an article")
        }
        readStatus(record, &post)
        return .success(post)
    }

    private func html(of record: GhostRecord, _ notes: inout [String]) -> String {
        if let html = record.text("html") {
            if siteURL == nil, html.contains("__GHOST_URL__") {
                notes.append("its addresses are relative, as the address of the site was not given")
            }
            return resolved(html)
        }
        guard let text = record.text("plaintext"), !text.isEmpty else {
            if record.has("lexical") || record.has("mobiledoc") {
                notes.append("the export has no HTML of it, so that it has no text")
            }
            return ""
        }
        notes.append("the export has no HTML of it, so that only its plain text was imported")
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return escaped.split(separator: "\n\n").map { "<p>\($0)</p>" }.joined()
    }

    private func resolved(_ text: String) -> String {
        text.replacing("__GHOST_URL__", with: siteURL ?? "")
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

    private func readStatus(_ record: GhostRecord, _ post: inout BlogPost) {
        post.publishedAt = record.time("published_at")
        switch record.text("status") {
        case "published": post.status = .published
        case "scheduled" where post.publishedAt != nil: post.status = .scheduled
        case "sent":
            post.notes.append("it was only sent as a newsletter, and became a draft")
            return
        default: return
        }
        if let visibility = record.text("visibility"), visibility != "public" {
            post.status = .draft
            post.notes.append("not everybody could read it, so that it became a draft")
        }
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

    func record(_ name: String) -> GhostRecord? { self[name].map(GhostRecord.init) }

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
