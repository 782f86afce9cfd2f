import BroadsheetKit
import Foundation

/// The clock and the time zone of the device, for texts with dates.
enum Device {
    static var now: Timestamp {
        Timestamp(milliseconds: ClientEnvironment.system.wallSeconds() * 1_000)
    }

    static func secondsFromGMT(at time: Timestamp) -> Int {
        TimeZone.current.secondsFromGMT(
            for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000))
    }
}

extension ArticlePresentation {
    /// In the language of the app, now.
    init(shown article: Article) {
        self.init(
            article, in: .current, now: Device.now, secondsFromGMT: Device.secondsFromGMT)
    }

    init(shown hit: SearchHit<Article>) {
        self.init(hit, in: .current, now: Device.now, secondsFromGMT: Device.secondsFromGMT)
    }

    /// By-line, date and reading time.
    var factsText: String {
        [bylineText, dateText, readingTimeText].compactMap(\.self).joined(separator: " · ")
    }

    /// The same without abbreviations, to be spoken.
    var spokenFactsText: String {
        [spokenBylineText, spokenDateText, spokenReadingTimeText].compactMap(\.self)
            .joined(separator: ", ")
    }
}

extension CommentPresentation {
    /// In the language of the app, now.
    init(shown comment: ArticleComment) {
        self.init(
            comment, in: .current, now: Device.now, secondsFromGMT: Device.secondsFromGMT)
    }
}
