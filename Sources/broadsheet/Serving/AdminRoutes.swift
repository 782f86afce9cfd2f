import ArticleServices
import HTTP
import HTTPServer

/// What `--admin-listen` serves: for the operator's network, never for the public.
enum AdminRoutes {
    static func router(_ page: MetricsPage) throws(RouterError) -> Router {
        var builder = RouterBuilder()
        builder.on(.get, "/metrics") { _, _ in
            HTTPResponse(
                .ok,
                fields: [.contentType: MetricsText.mediaType, .cacheControl: "no-store"],
                body: .bytes(await page.text()))
        }
        return try builder.build()
    }
}
