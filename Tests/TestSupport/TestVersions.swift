public import BroadsheetHTTP
public import BroadsheetHTTPClient
public import BroadsheetHTTPServer

extension HTTPClientConfiguration {
    /// A client whose http origins speak this version.
    public static func cleartext(_ version: HTTPVersion) -> HTTPClientConfiguration {
        var configuration = HTTPClientConfiguration()
        configuration.usesCleartextHTTP2 = version == .http2
        return configuration
    }
}

extension ServerConfiguration {
    /// A local server that speaks both versions without TLS.
    public static var bothVersions: ServerConfiguration {
        .local { $0.takesCleartextHTTP2 = true }
    }
}
