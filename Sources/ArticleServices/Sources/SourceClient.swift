public import HTTP
public import HTTPClient
import Platform

/// Sends requests to sources. Connections are kept for the next page only: a source is polled once
/// in a while, and by then its name may lead elsewhere.
///
/// Safe to use from any thread. Its event loop starts with the first request.
public final class SourceClient: Sendable {
    private let connections: HTTPClientConfiguration
    private let client = Lock<HTTPClient?>(nil)

    /// - Parameter connections: with the authorities that are trusted.
    public init(
        under policy: SourcePolicy, connections: HTTPClientConfiguration = .init()
    ) {
        var connections = connections
        connections.permits = policy.permits
        connections.connectionsPerOrigin = 1
        connections.idleMilliseconds = Self.idleMilliseconds
        self.connections = connections
    }

    /// Long enough for the next page.
    private static let idleMilliseconds: Int64 = 5_000

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
