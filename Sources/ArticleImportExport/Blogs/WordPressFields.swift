import ArticleAPI
import ArticleStore
import BroadsheetFeeds
import BroadsheetHTTP
import BroadsheetMarkup

/// The elements of one item of an export of WordPress.
struct WordPressFields {
    var id: Int64?
    var type = "post"
    /// `nil` if it is missing.
    package var status: String?
    var title = ""
    package var slug: String?
    var formerSlugs: [String] = []
    var link: String?
    /// The identifier of the post for feed readers.
    var guid: String?
    var creator: String?
    package var content = ""
    /// True if tags were outside of the text, which is one of characters.
    var isContentBroken: Bool { elements > 0 }
    private var elements = 0
    var summary = ""
    package var tags = BlogNames()
    /// Of `wp:post_date_gmt`; drafts have none.
    var date: Timestamp?
    /// Of `pubDate`, otherwise of `wp:post_date`, whose zone is not known.
    var otherDate: Timestamp? { feedDate ?? localDate }
    /// True if there is a time whose zone is known.
    var hasZone: Bool { date != nil || feedDate != nil }
    private var feedDate: Timestamp?
    private var localDate: Timestamp?
    var hasPassword = false
    /// The name of a field of a plugin that may restrict who reads the post.
    var restriction: String?
    var attachment: String?
    var thumbnail: Int64?
    var alternativeText: String?
    package var comments = 0
    /// The name of a text that was longer than the limit.
    var tooLong: String?

    private static let texts: Set<String> = ["title", "content:encoded", "excerpt:encoded"]

    /// Reads an item, whose start was the last event.
    ///
    /// - Parameter withTexts: true to read title, content and excerpt.
    init(_ reader: XMLReader, withTexts: Bool) throws(XMLError) {
        var fields = WordPressFields()
        try reader.eachChild { (element) throws(XMLError) in
            if !withTexts, Self.texts.contains(WordPressNames.name(element.name)) {
                try reader.skip()
            } else {
                try fields.read(element, reader)
            }
        }
        self = fields
    }

    private init() {}

    private mutating func read(_ element: XMLElement, _ reader: XMLReader) throws(XMLError) {
        switch WordPressNames.name(element.name) {
        case "title": title = try text(reader, "title")
        case "link": link = try line(reader)
        case "guid": guid = try line(reader)
        case "dc:creator": creator = try line(reader)
        case "content:encoded": content = try text(reader, "content")
        case "excerpt:encoded": summary = try text(reader, "excerpt")
        case "category":
            let isTag = ["category", "post_tag", "tag"].contains(element["domain"] ?? "category")
            let isDefault = element["nicename"] == "uncategorized"
            guard isTag, !isDefault, !tags.isFull else { return try reader.skip() }
            tags.append(try line(reader)?.withoutMarkup ?? "")
        case "wp:post_id": id = try line(reader).flatMap { Int64($0) }
        case "wp:post_type": type = try line(reader) ?? type
        case "wp:status": status = try line(reader) ?? status
        case "wp:post_name":
            slug = try line(reader).flatMap { $0.isEmpty ? nil : $0.withoutPercentEncoding }
        case "wp:post_date_gmt": date = try line(reader).flatMap { Timestamp(frontMatter: $0) }
        case "wp:post_date": localDate = try line(reader).flatMap { Timestamp(frontMatter: $0) }
        case "pubDate":
            // WordPress writes the 30th of November before the year 1 for a date that is missing.
            feedDate = try line(reader).flatMap {
                $0.contains(bytesOf: "-0001") ? nil : FeedDate.parse($0)
            }
        case "wp:post_password": hasPassword = try line(reader)?.isEmpty == false
        case "wp:attachment_url": attachment = try line(reader)
        case "wp:postmeta": try readMeta(reader)
        case "wp:comment":
            comments += 1
            try reader.skip()
        default: try reader.skip()
        }
    }

    private mutating func text(_ reader: XMLReader, _ name: String) throws(XMLError) -> String {
        let limit = WordPressExport.limitTextBytes
        guard let text = try reader.text(limitBytes: limit, elements: &elements) else {
            tooLong = name
            return ""
        }
        return text
    }

    private func line(_ reader: XMLReader) throws(XMLError) -> String? {
        try reader.text(limitBytes: WordPressExport.limitNameBytes)
            .map { String($0.trimmingSpaces) }
    }

    private mutating func readMeta(_ reader: XMLReader) throws(XMLError) {
        var key: String?
        var value: String?
        try reader.eachChild { (element) throws(XMLError) in
            switch WordPressNames.name(element.name) {
            case "wp:meta_key": key = try line(reader)
            case "wp:meta_value": value = try line(reader)
            default: try reader.skip()
            }
        }
        guard let value, !value.isEmpty else { return }
        switch key {
        case "_thumbnail_id": thumbnail = Int64(value)
        case "_wp_attachment_image_alt": alternativeText = value
        case "_wp_old_slug":
            if formerSlugs.count < ImportItem.limitFormerSlugs {
                formerSlugs.append(value.withoutPercentEncoding)
            }
        case let key?:
            if Restriction.isField(key, value) { restriction = restriction ?? key.onOneLine }
        case nil: break
        }
    }
}
