import ArticleServices
import BroadsheetHTTPServer
import BroadsheetTestSupport

extension Backend {
    /// Serves the public API with its cache while the body runs.
    func run(
        with configuration: ServerConfiguration = .local(),
        _ body: (TestServer) async throws -> Void
    ) async throws {
        var configuration = configuration
        addCache(to: &configuration)
        try await TestServer.run(router(), with: configuration, body)
    }
}
