import ArticleConnectors
import ArticleServices
import BroadsheetHTTPServer

/// The metrics of webhooks. Their labels are number and host: paths and queries may be secret.
enum WebhookMetrics {
    static func write(_ webhooks: [WebhookStatistics], to page: inout MetricsText) {
        let batches = "broadsheet_webhook_batches_total"
        page.family(
            batches, .counter, help: "Attempts to send a batch of changes, by webhook and outcome.")
        for webhook in webhooks {
            for (outcome, count) in [
                ("delivered", webhook.delivered), ("failed", webhook.failed),
            ] {
                page.sample(
                    batches,
                    ["webhook": "\(webhook.number)", "host": webhook.host, "outcome": outcome],
                    count)
            }
        }
        let failing = "broadsheet_webhook_failing_seconds"
        page.family(
            failing, .gauge, unit: "seconds",
            help: "Time since the first failure after the last delivery; 0 if there was none.")
        for webhook in webhooks {
            page.sample(failing, labels(of: webhook), webhook.failingSeconds)
        }
        let resets = "broadsheet_webhook_resets_total"
        page.family(resets, .counter, help: "How often a receiver skipped to the present.")
        for webhook in webhooks { page.sample(resets, labels(of: webhook), webhook.resets) }
    }

    private static func labels(of webhook: WebhookStatistics) -> KeyValuePairs<String, String> {
        ["webhook": "\(webhook.number)", "host": webhook.host]
    }
}
