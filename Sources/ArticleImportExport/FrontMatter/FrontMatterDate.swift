import ArticleAPI
import BroadsheetFeeds

extension Timestamp {
    /// Parses the dates that are found in posts, as those of feeds: `2016-1-29`,
    /// `2016-02-01 9:00:00 +0900`, `Sep 3, 2020 5:17 PM`. Without an offset, they are in UTC.
    init?(frontMatter text: String) {
        guard let time = FeedDate.parse(text) else { return nil }
        self = time
    }
}
