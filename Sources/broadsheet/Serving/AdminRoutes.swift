import ArticleServices
import HTTP
import HTTPServer

/// The routes of `--admin-listen`, which must not be reachable by the public.
enum AdminRoutes {
    static func router(_ page: MetricsPage) throws(RouterError) -> HTTPRouter {
        var builder = HTTPRouterBuilder()
        builder.on(.get, "/metrics") { _, _ in
            HTTPResponse(
                .ok,
                fields: [.contentType: MetricsText.mediaType, .cacheControl: "no-store"],
                body: .bytes(await page.text()))
        }
        return try builder.build()
    }
}
