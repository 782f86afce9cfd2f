import ArticleAPI

/// Writes JSON Feed 1.1. Parts that it lacks are in `_broadsheet`, as the format provides for
/// extensions.
enum JSONFeedWriter {
    static func write(_ feed: Feed) -> [UInt8] {
        var writer = JSONWriter(capacity: 64 << 10)
        writer.object {
            $0.member("version", "https://jsonfeed.org/version/1.1")
            $0.member("title", feed.title)
            $0.member("home_page_url", feed.homePage)
            $0.member("feed_url", feed.address)
            $0.member("description", feed.subtitle)
            $0.member("next_url", feed.nextPage)
            $0.member("language", feed.language)
            $0.name("_broadsheet")
            $0.object {
                $0.member("about", FeedNamespace.broadsheet)
                $0.member("first_url", feed.firstPage)
                $0.member("date_modified", feed.updatedAt?.description)
            }
            $0.name("items")
            $0.array {
                for entry in feed.entries {
                    $0.element()
                    write(entry, to: &$0)
                }
            }
        }
        return writer.bytes
    }

    private static func write(_ entry: FeedEntry, to writer: inout JSONWriter) {
        writer.object {
            $0.member("id", entry.id)
            $0.member("url", entry.url)
            $0.member("title", entry.title)
            $0.member("summary", entry.summary)
            $0.member("content_html", entry.contentHTML)
            $0.member("content_text", entry.contentText)
            if entry.contentHTML ?? entry.contentText ?? "" == "" {
                // An item must have one of them.
                $0.name("content_text")
                $0.string("")
            }
            $0.member("image", entry.image?.url)
            $0.member("date_published", entry.publishedAt?.description)
            $0.member("date_modified", entry.updatedAt?.description)
            $0.list("authors", entry.authors) { writer, name in
                writer.object { $0.member("name", name) }
            }
            $0.list("tags", entry.tags) { $0.string($1) }
            $0.member("language", entry.language)
            $0.name("_broadsheet")
            $0.object {
                $0.member("slug", entry.slug)
                $0.member("markdown", entry.contentMarkdown)
                $0.member("image_alternative_text", entry.image?.alternativeText)
            }
        }
    }
}

extension JSONWriter {
    /// A member, unless it is empty.
    fileprivate mutating func member(_ name: String, _ text: String?) {
        guard let text, !text.isEmpty else { return }
        self.name(name)
        string(text)
    }

    fileprivate mutating func list(
        _ name: String, _ items: [String], _ write: (inout JSONWriter, String) -> Void
    ) {
        guard !items.isEmpty else { return }
        self.name(name)
        array { writer in
            for item in items {
                writer.element()
                write(&writer, item)
            }
        }
    }
}
