import ArticleAPI
import ArticleConnectors
import ArticleServices
import ArticleStore
import BroadsheetHTTPServer

/// The metrics of sources. They have no labels of single sources, whose URLs may be secret.
enum SourceMetrics {
    static func write(
        _ poller: SourcePoller, at now: Timestamp, to page: inout MetricsText
    ) async {
        let statistics = poller.statistics
        let polls = "broadsheet_source_polls_total"
        page.family(polls, .counter, help: "Polls of sources, by outcome.")
        for (outcome, count) in [
            ("changed", statistics.changed), ("unchanged", statistics.unchanged),
            ("failed", statistics.failed),
        ] {
            page.sample(polls, ["outcome": outcome], count)
        }
        let entries = "broadsheet_source_entries_total"
        page.family(
            entries, .counter, help: "Entries of sources, by outcome.")
        for (outcome, count) in statistics.entries {
            page.sample(entries, ["outcome": outcome], count)
        }
        // If the store cannot be read, only these samples are left out.
        guard let counts = await poller.counts() else { return }
        let sources = "broadsheet_sources"
        page.family(sources, .gauge, help: "Sources, by state.")
        for (state, count) in [
            ("active", counts.active), ("failing", counts.failing), ("paused", counts.paused),
        ] {
            page.sample(sources, ["state": state], count)
        }
        let due = max(0, now.milliseconds - (counts.dueSince ?? now).milliseconds)
        page.single(
            "broadsheet_source_lag_seconds", .gauge, unit: "seconds",
            help: "How long the source that has waited longest has been due; 0 if none is.",
            Double(due) / 1_000)
    }
}
