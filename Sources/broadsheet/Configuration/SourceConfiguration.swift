import ArticleAPI
import ArticleAdminAPI
import ArticleConnectors
import ArticleServices
import BroadsheetCommandLine

/// The part of the configuration of `serve` that concerns sources of articles.
struct SourceConfiguration: Sendable {
    let policy: SourcePolicy
    let intervalSeconds: Int

    static let options = [
        Option(
            "source-interval", "SECONDS",
            "Time between two polls of a source that has no interval of its own; at least 60.",
            default: "\(SourcePoller.defaultIntervalSeconds)"),
        Option(
            "allow-private-sources", nil,
            "Allow sources over plain HTTP, on any port, and on private or loopback addresses."),
    ]

    init(_ settings: Settings) throws(CommandFailure) {
        policy = SourcePolicy(allowsPrivate: try settings.isOn("allow-private-sources"))
        intervalSeconds = try settings.integer(
            "source-interval", in: ContentSource.intervals,
            default: SourcePoller.defaultIntervalSeconds)
    }
}
