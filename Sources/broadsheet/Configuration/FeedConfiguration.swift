import ArticleAPI
import ArticleResources
import ArticleServices
import BroadsheetCommandLine
import BroadsheetSockets

/// The part of the configuration of `serve` that concerns feeds and the URLs in them.
struct FeedConfiguration: Sendable {
    let title: String
    /// The URL of the server; `nil` for that of its first listener.
    private let server: String?
    private let articlePage: String?

    static let options = [
        Option(
            "public-url", "URL",
            "Public URL of this server, for the absolute URLs in feeds.",
            default: "that of the first --listen"),
        Option(
            "article-url", "URL",
            "URL of the page that shows an article, with {slug} for its slug; feeds link to it.",
            default: "the article in the API"),
        Option("feed-title", "TEXT", "Title of the feeds.", default: FeedSettings.defaultTitle),
    ]

    init(_ settings: Settings) throws(CommandFailure) {
        server = try settings.parsed(
            "public-url", expecting: "an absolute http or https URL without query and fragment"
        ) { PublicURLs(server: $0) == nil ? nil : $0 }
        articlePage = try settings.parsed(
            "article-url", expecting: "an absolute http or https URL with one {slug}"
        ) { PublicURLs.isArticlePage($0) ? $0 : nil }
        title =
            try settings.parsed("feed-title", expecting: "a line of 1 to 300 characters") {
                let line = TextCodec.line(ArticleLimits.title)
                return line.parse($0).flatMap { line.fault($0) == nil ? $0 : nil }
            } ?? FeedSettings.defaultTitle
    }

    /// The settings, as far as they are known before the server listens.
    var settings: FeedSettings {
        FeedSettings(
            addresses: server.flatMap { PublicURLs(server: $0, articlePage: articlePage) },
            title: title)
    }

    /// The addresses of a server without `--public-url`, for people on this machine.
    func addresses(listening: [SocketAddress], isSecure: Bool) -> PublicURLs? {
        let scheme = isSecure ? "https" : "http"
        let address = listening.first { if case .unix = $0 { false } else { true } }
        let authority = address.map { address in
            ["0.0.0.0", "::"].contains(address.host)
                ? "localhost:\(address.port)" : address.description
        }
        return PublicURLs(
            server: "\(scheme)://\(authority ?? "localhost")", articlePage: articlePage)
    }
}
