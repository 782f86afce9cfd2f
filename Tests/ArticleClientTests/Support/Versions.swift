import ArticleClient
import HTTP
import HTTPClient
import HTTPServer
import TestSupport

extension SocketTransport {
    /// A transport whose http origins speak this version.
    convenience init(over version: HTTPVersion) {
        var configuration = HTTPClientConfiguration()
        configuration.usesCleartextHTTP2 = version == .http2
        self.init(configuration)
    }
}

extension ServerConfiguration {
    /// A local server that speaks both versions without TLS.
    static var bothVersions: ServerConfiguration { .local { $0.takesCleartextHTTP2 = true } }
}
