import ArticleAPI
import BroadsheetHTTP
import BroadsheetMarkup
import BroadsheetPlatform

/// Reads an export of WordPress (WXR 1.0 to 1.2) in constant memory except for the items that posts
/// refer to.
///
/// The file is read twice: posts refer to images that may follow them.
struct WordPressExport {
    /// One item of the export.
    enum Item {
        case post(BlogPost)
        /// A post that is not imported, with its key and the reason.
        case rejected(key: String, reason: String)
        /// Something else, by its name in the plural, such as `menu items`.
        case other(String)
    }

    /// Maximum size of a text in an item, except for titles and the like.
    static let limitTextBytes = 4 << 20
    static let limitNameBytes = 64 << 10
    /// Maximum size of a `guid` that identifies a post.
    private static let limitGUIDBytes = 500
    /// Maximum size of the images that are remembered, and of the authors.
    static let limitImageBytes = 64 << 20
    static let limitAuthorBytes = 8 << 20

    /// Number of comments, which are not imported.
    private(set) var comments = 0
    private let reader: XMLReader
    private var library = Library()
    private var authors: [String: String] = [:]
    private var authorBytes = 0
    private var language: String?

    /// The items that the first reading finds, as posts refer to them.
    private struct Library {
        /// By their numbers.
        var images: [Int64: BlogImage] = [:]
        /// Hashes of the slugs that posts have.
        var slugs: Set<Int> = []
    }

    private init(_ reader: XMLReader) { self.reader = reader }

    /// The line of the last item.
    var line: Int { reader.line }
    /// The repairs up to there.
    var repairs: XMLRepairs { reader.repairs }

    static func isExport(_ start: some Collection<UInt8>) -> Bool {
        let text = String(decoding: start, as: UTF8.self)
        return text.contains(bytesOf: "<rss")
            && WordPressNames.addresses.contains { text.contains(bytesOf: $0) }
    }

    /// - Parameter source: called for the bytes of the file from its beginning, twice.
    init(source: () throws(XMLError) -> XMLReader) throws(XMLError) {
        var first = Self(try source())
        do throws(XMLError) { try first.readLibrary() } catch {
            // The second reading reports it, after the items before it.
        }
        self = Self(try source())
        library = first.library
    }

    private mutating func readLibrary() throws(XMLError) {
        var imageBytes = 0
        while let fields = try nextFields(withTexts: false) {
            switch fields.type {
            case "post", "page":
                if let slug = fields.slug, library.slugs.count < BlogPost.limitInFile {
                    library.slugs.insert(slug.hashValue)
                }
            case "attachment":
                guard let url = fields.attachment, let id = fields.id else { continue }
                let image = BlogImage(url, alternativeText: fields.alternativeText)
                imageBytes += image.bytes
                if imageBytes <= Self.limitImageBytes { library.images[id] = image }
            default: break
            }
        }
    }

    /// The next item; `nil` at the end of the file.
    mutating func next() throws(XMLError) -> Item? {
        guard let fields = try nextFields() else { return nil }
        comments += fields.comments
        switch fields.type {
        case "post", "page": break
        case "attachment": return .other("attachments (their addresses stay in the articles)")
        case "nav_menu_item": return .other("menu items")
        default: return .other("items of other types")
        }
        guard let key = Self.key(of: fields) else {
            return .rejected(key: "a post", reason: "it has no number, usable name or guid")
        }
        switch fields.status {
        case "trash": return .other("posts in the trash")
        case "auto-draft", "inherit": return .other("automatic drafts")
        default: break
        }
        if let tooLong = fields.tooLong {
            let reason = "its \(tooLong) is longer than \(Self.limitTextBytes) bytes"
            return .rejected(key: key, reason: reason)
        }
        return .post(post(fields, key))
    }

    private static func key(of fields: WordPressFields) -> String? {
        if let id = fields.id { return "post:\(id)" }
        if let slug = fields.slug?.inNFC, Slug.fault(slug) == nil { return "slug:\(slug)" }
        guard let guid = fields.guid, (1...limitGUIDBytes).contains(guid.utf8.count) else {
            return nil
        }
        return "guid:\(guid.onOneLine.inNFC)"
    }

    private func post(_ fields: WordPressFields, _ key: String) -> BlogPost {
        var post = BlogPost(key: key)
        post.title = fields.title.withoutMarkup
        if post.title.isEmpty { post.title = fields.slug ?? key }
        post.slug = fields.slug
        // A new post that has taken a former slug keeps it.
        post.formerSlugs = fields.formerSlugs.filter { !library.slugs.contains($0.hashValue) }
        post.summary = fields.summary.isEmpty ? nil : fields.summary.withoutMarkup
        let content = WordPressText.html(of: post.take(UnrestrictedHTML(fields.content)))
        post.html = content.html
        if content.galleries > 0 {
            post.notes.append("left out: galleries (\(content.galleries))")
        }
        if let creator = fields.creator { post.authors = [authors[creator] ?? creator] }
        post.tags = fields.tags.names
        post.language = language
        post.base = fields.link
        if fields.type == "page" { post.notes.append("it is a page, and became an article") }
        readStatus(fields, &post)
        if let number = fields.thumbnail {
            if let image = library.images[number] {
                post.image = image
            } else {
                post.notes.append("its image is not in the export")
            }
        }
        return post
    }

    /// Reads the status: a post that only some could read there, or perhaps, is a draft here.
    private func readStatus(_ fields: WordPressFields, _ post: inout BlogPost) {
        post.publishedAt = fields.date
        switch fields.status {
        case "draft", "pending": return
        case "future": post.status = .scheduled
        default: post.status = .published
        }
        post.publishedAt = fields.date ?? fields.otherDate
        if fields.hasPassword { return post.hold("it was protected by a password") }
        switch fields.status {
        case "publish", "future": break
        case "private": return post.hold("it was private")
        case let status?: return post.hold("its status \"\(status)\" is not known")
        case nil: return post.hold("it has no status")
        }
        if post.publishedAt == nil { post.hold("it has no date") }
        if fields.status == "future", !fields.hasZone {
            post.hold("the time zone of its date is unknown")
        }
        if fields.isContentBroken { post.hold("its text has elements of XML, and may lack some") }
        if let field = fields.restriction {
            post.hold("its field \(field) may restrict who reads it")
        }
        if let name = Restriction.shortcode(in: fields.content) {
            post.hold("its shortcode [\(name)] may restrict who reads it")
        }
    }

    // MARK: Elements

    /// Reads the fields of the next item; the elements before it, of the channel, are noted.
    private mutating func nextFields(
        withTexts: Bool = true
    ) throws(XMLError) -> WordPressFields? {
        while let event = try reader.next() {
            guard case .start(let element) = event else { continue }
            switch WordPressNames.name(element.name) {
            case "rss", "channel": break
            case "item": return try WordPressFields(reader, withTexts: withTexts)
            case "language": language = try reader.text(limitBytes: 100)
            case "wp:author": try readAuthor()
            default: try reader.skip()
            }
        }
        return nil
    }

    private mutating func readAuthor() throws(XMLError) {
        var login: String?
        var name: String?
        try reader.eachChild { (element) throws(XMLError) in
            switch WordPressNames.name(element.name) {
            case "wp:author_login": login = try reader.text(limitBytes: 1_000)
            case "wp:author_display_name": name = try reader.text(limitBytes: 1_000)
            default: try reader.skip()
            }
        }
        guard let login, let name, !name.isEmpty else { return }
        authorBytes += 100 + login.utf8.count + name.utf8.count
        if authorBytes <= Self.limitAuthorBytes { authors[login] = name }
    }
}

/// The elements of an export, by the prefixes that WordPress uses.
enum WordPressNames {
    private static let export = "wordpress.org/export/"
    /// The beginnings of addresses before the host. Exports differ in them, and in the slash at the
    /// end.
    private static let starts = ["https://www.", "http://www.", "https://", "http://"]
    /// The beginnings of the namespace of an export of any version.
    static let addresses = starts.map { $0 + export }

    static func name(_ name: XMLName) -> String {
        guard var namespace = name.namespace else { return name.local }
        if let start = starts.first(where: namespace.hasPrefix) {
            namespace.removeFirst(start.count)
        }
        if namespace.hasSuffix("/") { namespace.removeLast() }
        if namespace.hasPrefix(export) {
            return (namespace.hasSuffix("/excerpt") ? "excerpt:" : "wp:") + name.local
        }
        switch namespace {
        case "purl.org/rss/1.0/modules/content": return "content:\(name.local)"
        case "purl.org/dc/elements/1.1": return "dc:\(name.local)"
        default: return "other:\(name.local)"
        }
    }
}

extension XMLReader {
    /// Calls the body for each child of the element whose start was the last event; the body reads
    /// up to the child's end.
    func eachChild(_ body: (XMLElement) throws(XMLError) -> Void) throws(XMLError) {
        while let event = try next() {
            switch event {
            case .start(let element): try body(element)
            case .text: break
            case .end: return
            }
        }
    }
}
