import BroadsheetFeeds

/// A feed in any format, and what is read of it when it is written again.
enum FeedLaws {
    private static let address = "https://example.org/feed"

    static func broken(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        let lineCount = input.count { $0 == 0x0A || $0 == 0x0D } + 1
        do throws(FeedError) {
            let feed = try FeedParser.parse(input, contentType: nil, address: address)
            laws.expect(feed.entries.allSatisfy { !$0.id.isEmpty }, "every entry has an id")
            laws.expect(feed.entries.count <= FeedParser.limitEntries, "entries are limited")
            for url in urls(of: feed) {
                laws.expect(
                    url.lowercased().hasPrefix("http"), "a URL is absolute, and of the web: \(url)")
            }
            for format in FeedFormat.allCases { expectStable(feed, format, &laws) }
        } catch {
            laws.expect(!error.message.isEmpty, "an error has a message")
            laws.expect(error.line.map { (1...lineCount).contains($0) } ?? true, "\(error)")
        }
        return laws.broken
    }

    /// Expects that a feed that was read can be written, and then has the same texts when it is
    /// read again.
    private static func expectStable(
        _ feed: Feed, _ format: FeedFormat, _ laws: inout ViolationCollector
    ) {
        guard let bytes = try? format.write(feed) else {
            return laws.expect(false, "a feed that was read can be written as \(format)")
        }
        guard let again = try? FeedParser.parse(bytes, contentType: nil, address: address) else {
            return laws.expect(false, "a feed that was written as \(format) can be read")
        }
        laws.expect(
            again.entries.map(\.title) == feed.entries.map(\.title), "titles stay in \(format)")
        laws.expect(
            again.entries.map(\.tags) == feed.entries.map(\.tags), "tags stay in \(format)")
        laws.expect(
            again.entries.map(\.image?.url) == feed.entries.map(\.image?.url),
            "images stay in \(format)")
    }

    private static func urls(of feed: Feed) -> [String] {
        let entries = feed.entries.flatMap { [$0.url, $0.image?.url] }
        return ([feed.homePage, feed.firstPage, feed.nextPage] + entries).compactMap(\.self)
    }
}
