import ArticleStore
import BroadsheetCommandLine

/// The part of the configuration of `serve` with the limits of history.
struct RetentionConfiguration: Sendable {
    let rules: RetentionRules

    static let options = [
        Option(
            "keep-revisions", "N,AGE",
            "Revisions of an article to keep, by number (100), age (90d) or both (100,90d).",
            default: "all"),
        Option(
            "keep-deleted", "AGE",
            "How long deleted articles can be restored (90d) before they are removed for good.",
            default: "for ever"),
    ]

    init(_ settings: Settings) throws(CommandFailure) {
        var rules =
            try settings.parsed(
                "keep-revisions", expecting: "a number from 1 to 10000, an age (90d) or both",
                Self.revisions) ?? RetentionRules()
        rules.deletedMilliseconds = try settings.parsed(
            "keep-deleted", expecting: "an age of at least a day (90d, 52w)"
        ) { text in
            Self.age(text[...]).flatMap { $0 >= RetentionRules.day ? $0 : nil }
        }
        self.rules = rules
    }

    /// Reads `100`, `90d`, `100,90d`; `nil` for anything else.
    private static func revisions(_ text: String) -> RetentionRules? {
        var rules = RetentionRules()
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            if let number = Int(part), 1...10_000 ~= number, rules.revisions == nil {
                rules.revisions = number
            } else if let age = age(part), rules.revisionMilliseconds == nil {
                rules.revisionMilliseconds = age
            } else {
                return nil
            }
        }
        return rules
    }

    private static let units: [Character: Int64] = [
        "h": 3_600_000, "d": RetentionRules.day, "w": 7 * RetentionRules.day,
    ]

    /// Reads `36h`, `90d`, `52w` as milliseconds: from an hour to a hundred years.
    private static func age(_ text: Substring) -> Int64? {
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropLast()),
            1...876_000 ~= number, number * unit <= 36_525 * RetentionRules.day
        else { return nil }
        return number * unit
    }
}
