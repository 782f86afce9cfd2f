import ArticleAPI
import BroadsheetHTTP

/// The absolute URLs by which the public knows the server and its articles.
///
/// They come from the configuration alone, never from a request: responses are cached under their
/// path and query, and a forged `Host` must not get into responses to others.
public struct PublicURLs: Sendable, Hashable {
    /// The URL of the server, without a slash at its end.
    private let server: String
    /// The parts before and after the slug; `nil` for this server's own addresses of articles.
    private let page: (before: String, after: String)?

    /// The placeholder for `slug` in the template of an article's URL.
    public static let placeholder = "{slug}"

    /// - Parameters:
    ///   - server: an absolute http(s) URL, which may have a path, but neither query nor fragment.
    ///   - articlePage: an absolute http(s) URL with one `{slug}`; `nil` for the article in this
    ///     server's API.
    public init?(server: String, articlePage: String? = nil) {
        guard WebAddress.fault(server) == nil, !server.contains("?"), !server.contains("#") else {
            return nil
        }
        self.server = String(server.reversed().drop { $0 == "/" }.reversed())
        if let articlePage {
            guard let page = Self.parts(of: articlePage) else { return nil }
            self.page = page
        } else {
            page = nil
        }
    }

    private static func parts(of template: String) -> (before: String, after: String)? {
        let parts = template.split(
            separator: placeholder, omittingEmptySubsequences: false)
        guard parts.count == 2, WebAddress.fault("\(parts[0])slug\(parts[1])") == nil else {
            return nil
        }
        return (String(parts[0]), String(parts[1]))
    }

    /// Returns true if `text` is a template for the URLs of articles.
    public static func isArticlePage(_ text: String) -> Bool { parts(of: text) != nil }

    /// The URL of the page that shows the server's articles.
    var home: String { server + "/" }

    func url(of request: some BackendAPIRequest) -> String {
        server + RequestPrinter.target(of: request)
    }

    /// The URL of the page that shows the article.
    func url(ofArticle slug: String) -> String {
        guard let page else { return url(of: FetchArticleRequest(key: .slug(slug))) }
        return page.before + PercentEncoding.encodeSegment(slug) + page.after
    }

    public static func == (left: PublicURLs, right: PublicURLs) -> Bool {
        left.server == right.server && left.page?.before == right.page?.before
            && left.page?.after == right.page?.after
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(server) }
}
