import ArticleAPI
import BroadsheetFeeds

/// A time as a feed or front matter writes it.
enum DateLaws {
    static func broken(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        let text = String(decoding: input, as: UTF8.self)
        guard let time = FeedDate.parse(text) else { return laws.broken }
        laws.expect(text.utf8.count <= FeedDate.limitBytes, "a long text is no time")
        laws.expect(FeedDate.parse(time.description) == time, "a time can be read again")
        laws.expect(
            FeedDate.parse(" \(text)\n") == time || text.utf8.count > FeedDate.limitBytes - 2,
            "space around a time means nothing")
        laws.expect(FeedDate.parse("\(text) zzz") == nil, "an unknown word makes a time unknown")
        return laws.broken
    }
}
