import Feeds
import Testing

struct FeedTests {
    @Test func `an entry with a title alone has no content`() {
        let feed = Feed(id: "urn:x", title: "News", entries: [FeedEntry(id: "1", title: "Hello")])
        #expect(feed.entries[0].contentHTML == nil)
        #expect(feed.entries[0].authors.isEmpty)
    }
}
