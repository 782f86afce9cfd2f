import Testing

@testable import BroadsheetFeeds

@Suite struct FeedLawTests {
    @Test(arguments: FeedFormat.allCases)
    func `a feed that is written is read as it was`(format: FeedFormat) throws {
        for seed in 1...200 {
            var maker = FeedMaker(seed: UInt64(seed))
            let feed = maker.feed()
            let bytes = try format.write(feed)
            let read = try FeedParser.parse(
                bytes, contentType: format.mediaType, address: feed.address ?? "")
            #expect(read == feed, "seed \(seed)")
            #expect(try format.write(read) == bytes, "seed \(seed)")
        }
    }

    @Test(arguments: FeedFormat.allCases)
    func `a title survives, without the characters that XML forbids`(format: FeedFormat) throws {
        let forbidden =
            Array(0...0x1F).filter { ![0x9, 0xA, 0xD].contains($0) } + [0xFFFE, 0xFFFF]
        for scalar in forbidden.compactMap({ Unicode.Scalar($0) }) {
            let title = "a\(scalar)b ]]> <&>\"' 👩‍👩‍👧 \u{202E}שלום"
            let entry = FeedEntry(id: "urn:1", title: title, contentHTML: "<p>\(scalar)</p>")
            let feed = Feed(
                id: "https://example.org/f", title: title, address: "https://example.org/f",
                entries: [entry])
            let read = try FeedParser.parse(
                try format.write(feed), contentType: nil, address: "https://example.org/f")
            let expected = format == .json ? title : title.replacing(String(scalar), with: "")
            #expect(read.title == expected && read.entries.first?.title == expected)
        }
    }
}
