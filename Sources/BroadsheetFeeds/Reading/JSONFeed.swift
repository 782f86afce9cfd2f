import ArticleAPI
import BroadsheetHTTP
import BroadsheetMarkup

/// Reads JSON Feed 1.1 and 1.0.
enum JSONFeed {
    static func parse(_ bytes: [UInt8], at address: String) throws(FeedError) -> Feed {
        let value: JSONValue
        do throws(JSONSyntaxError) { value = try JSONParser.parse(bytes) } catch {
            throw FeedError(error.message, line: error.line)
        }
        guard case .object(let members) = value else {
            throw FeedError("the JSON must be an object, as JSON Feed is")
        }
        let object = Object(members)
        guard object.text("version")?.contains(bytesOf: "jsonfeed.org/version/") == true else {
            throw FeedError(
                "the JSON is not a JSON Feed: `version` must be `https://jsonfeed.org/version/1.1`")
        }
        guard let items = object.array("items") else {
            throw FeedError("the JSON Feed must have an array `items`")
        }
        return try feed(object, items, at: address)
    }

    private static func feed(
        _ object: Object, _ items: [JSONValue], at address: String
    ) throws(FeedError) -> Feed {
        let own = object.address("feed_url", at: address)
        let more = object.object("_broadsheet")
        var feed = Feed(id: own ?? address, title: FeedText.line(object.text("title") ?? ""))
        feed.subtitle = FeedText.lines(object.text("description") ?? "")
        feed.homePage = object.address("home_page_url", at: address)
        feed.address = own ?? address
        feed.firstPage = more.address("first_url", at: address)
        feed.nextPage = object.address("next_url", at: address)
        feed.language = object.text("language").flatMap { LanguageTag($0)?.text }
        feed.updatedAt = more.text("date_modified").flatMap { FeedDate.parse($0) }
        let authors = authors(of: object)
        for item in items.prefix(FeedParser.limitEntries) {
            guard !ReadingTime.isOver() else { throw FeedError(ReadingTime.phrase) }
            guard case .object(let members) = item,
                var entry = entry(Object(members), at: address).identified
            else {
                feed.omittedEntries += 1
                continue
            }
            if entry.authors.isEmpty { entry.authors = authors }
            feed.entries.append(entry)
        }
        feed.omittedEntries += max(0, items.count - FeedParser.limitEntries)
        return feed
    }

    private static func entry(_ object: Object, at address: String) -> FeedEntry {
        let url =
            object.address("url", at: address) ?? object.address("external_url", at: address)
        let more = object.object("_broadsheet")
        var entry = FeedEntry(
            id: object.text("id") ?? url ?? "", url: url,
            title: FeedText.line(object.text("title") ?? ""))
        if url == nil { entry.unusableLink = object.text("url") ?? object.text("external_url") }
        entry.attachment =
            (object.array("attachments") ?? []).lazy.compactMap { file -> String? in
                guard case .object(let members) = file else { return nil }
                return Object(members).address("url", at: address)
            }.first
        entry.summary = FeedText.lines(object.text("summary") ?? "")
        entry.contentHTML = object.text("content_html").map {
            FeedAddress.resolved(html: $0, against: url ?? address)
        }
        entry.contentText = object.text("content_text")
        entry.contentMarkdown = more.text("markdown")
        entry.slug = more.text("slug")
        entry.authors = authors(of: object)
        entry.tags = FeedText.names(
            (object.array("tags") ?? []).compactMap {
                if case .string(let tag) = $0 { tag } else { nil }
            })
        entry.language = object.text("language").flatMap { LanguageTag($0)?.text }
        entry.publishedAt = object.text("date_published").flatMap { FeedDate.parse($0) }
        entry.updatedAt = object.text("date_modified").flatMap { FeedDate.parse($0) }
        let image =
            object.address("image", at: address) ?? object.address("banner_image", at: address)
        entry.image = image.map {
            FeedEntry.Image(url: $0, alternativeText: more.text("image_alternative_text"))
        }
        return entry
    }

    /// `authors` of version 1.1, or `author` of 1.0.
    private static func authors(of object: Object) -> [String] {
        let list = object.array("authors") ?? [object.value("author")].compactMap(\.self)
        return FeedPerson.names(
            in: list.map { author in
                guard case .object(let members) = author else { return "" }
                return Object(members).text("name") ?? ""
            })
    }

    /// The members of an object by name; those of another kind than expected are left out.
    private struct Object {
        private let members: [JSONValue.Member]

        init(_ members: [JSONValue.Member]) { self.members = members }

        func value(_ name: String) -> JSONValue? { members.first { $0.name == name }?.value }

        /// A text that is not empty, or a number as text: JSON Feed asks readers to take ids so.
        func text(_ name: String) -> String? {
            switch value(name) {
            case .string(let text): text.isEmpty ? nil : text
            case .number(let number): number.text
            default: nil
            }
        }

        func array(_ name: String) -> [JSONValue]? {
            if case .array(let items) = value(name) { items } else { nil }
        }

        func object(_ name: String) -> Object {
            if case .object(let members) = value(name) { Object(members) } else { Object([]) }
        }

        func address(_ name: String, at base: String) -> String? {
            text(name).flatMap { FeedAddress.resolved($0, against: base) }
        }
    }
}
