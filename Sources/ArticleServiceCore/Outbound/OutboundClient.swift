public import BroadsheetHTTP
public import BroadsheetHTTPClient
public import BroadsheetPlatform

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

/// The dependencies of polls of sources, webhooks and the verification of ID tokens, which tests
/// replace.
public struct OutboundEnvironment: Sendable {
    /// `User-Agent` of requests to sources and receivers.
    public var agent: String
    public var exchange: OutboundExchange
    /// The time limit of a poll, of a delivery, and of both documents of a provider together.
    public var timeout: Duration
    /// Its clocks, waits and random numbers decide when polls, retries and fetches are made.
    public var system: SystemEnvironment

    public init(
        agent: String, exchange: @escaping OutboundExchange, timeout: Duration = .seconds(10),
        system: SystemEnvironment
    ) {
        self.agent = agent
        self.exchange = exchange
        self.timeout = timeout
        self.system = system
    }

    /// Fetches a document of at most `limitBytes`, decoded, before the deadline.
    package func get(
        _ url: HTTPURL, _ fields: HTTPFields, limitBytes: Int, by deadline: Duration
    ) async throws(HTTPClientError) -> HTTPResponse {
        var options = ExchangeOptions()
        options.deadlineMilliseconds = Int64((deadline - system.uptime) / .milliseconds(1))
        options.bodyBytes = limitBytes
        guard options.deadlineMilliseconds > 0 else { throw .timedOut }
        return try await exchange(
            HTTPRequest(.get, url.target, fields: fields), url.origin, options)
    }
}
