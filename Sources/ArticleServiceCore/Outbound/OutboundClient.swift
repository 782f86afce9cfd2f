public import BroadsheetHTTP
public import BroadsheetHTTPClient
import BroadsheetPlatform

/// Performs one exchange.
public typealias OutboundExchange =
    @Sendable (HTTPRequest, HTTPOrigin, ExchangeOptions)
    async throws(HTTPClientError) -> HTTPResponse

/// Sends the requests that a backend makes itself: to sources, to receivers of webhooks, and to
/// providers of identities. Redirects are not followed.
///
/// Safe to use from any thread. Its event loop starts with the first request.
public final class OutboundClient: Sendable {
    private let connections: HTTPClientConfiguration
    private let client = Lock<HTTPClient?>(nil)

    /// - Parameter connections: with the authorities that are trusted, and the policy for those to
    ///   whom requests are sent: `SourcePolicy.connections`, `Webhooks.connections`.
    public init(_ connections: HTTPClientConfiguration = .init()) {
        self.connections = connections
    }

    public func exchange(
        _ request: HTTPRequest, with origin: HTTPOrigin, _ options: ExchangeOptions
    ) async throws(HTTPClientError) -> HTTPResponse {
        let client: HTTPClient
        do throws(SystemError) { client = try startedClient() } catch {
            throw .cannotConnect(origin, error)
        }
        return try await client.send(request, to: origin, options: options)
    }

    private func startedClient() throws(SystemError) -> HTTPClient {
        try client.withLock { [connections] (client) throws(SystemError) in
            if let client { return client }
            let new = try HTTPClient(connections)
            client = new
            return new
        }
    }
}
