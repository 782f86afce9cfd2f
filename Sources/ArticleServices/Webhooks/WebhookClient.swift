public import HTTP
public import HTTPClient
import Platform

/// Sends one batch, and returns the status of the response.
public typealias WebhookDelivery =
    @Sendable (_ url: HTTPURL, _ fields: HTTPFields, _ body: [UInt8])
    async throws(WebhookFailure) -> HTTPStatus

/// Why there was no response. The reason contains no path and no query.
public struct WebhookFailure: Error {
    public let reason: String

    public init(reason: String) { self.reason = reason }
}

/// Sends batches over HTTP, on kept-alive connections. Redirects are not followed.
public final class WebhookClient: Sendable {
    private let timeout: Duration
    private let connections: HTTPClientConfiguration
    private let client = Lock<HTTPClient?>(nil)

    /// How much of a response is read, so that its connection can be used again.
    private static let responseBytes = 64 << 10
    /// One for each receiver.
    private static let connectionsPerOrigin = Webhooks.mostReceivers

    /// The client's event loop starts with the first batch.
    ///
    /// - Parameters:
    ///   - timeout: the time limit from connecting to the end of the response.
    ///   - connections: with the authorities that are trusted.
    public init(
        timeout: Duration = .seconds(10), connections: HTTPClientConfiguration = .init()
    ) {
        self.timeout = timeout
        self.connections = connections
    }

    public func deliver(
        to url: HTTPURL, _ fields: HTTPFields, _ body: [UInt8]
    ) async throws(WebhookFailure) -> HTTPStatus {
        let client = try startedClient()
        let request = HTTPRequest(.post, url.target, fields: fields, body: body)
        let outcome = await withTaskGroup(of: Result<HTTPStatus, HTTPClientError>.self) { group in
            group.addTask {
                do throws(HTTPClientError) {
                    return .success(try await Self.exchange(request, with: url.origin, on: client))
                } catch { return .failure(error) }
            }
            group.addTask { [timeout] in
                // Cancelled: the exchange has ended.
                try? await Task.sleep(for: timeout)
                return .failure(.timedOut)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.cancelled)
        }
        do throws(HTTPClientError) { return try outcome.get() } catch {
            throw WebhookFailure(reason: error.description)
        }
    }

    private func startedClient() throws(WebhookFailure) -> HTTPClient {
        do throws(SystemError) {
            return try client.withLock { [connections] (client) throws(SystemError) in
                if let client { return client }
                var configuration = connections
                configuration.connectionsPerOrigin = Self.connectionsPerOrigin
                configuration.streamWindowBytes = Self.responseBytes
                let new = try HTTPClient(configuration)
                client = new
                return new
            }
        } catch { throw WebhookFailure(reason: error.description) }
    }

    /// The status decides; what follows it is read up to a limit, and does not matter.
    private static func exchange(
        _ request: HTTPRequest, with origin: HTTPOrigin, on client: HTTPClient
    ) async throws(HTTPClientError) -> HTTPStatus {
        var options = ExchangeOptions()
        options.isStreamed = true
        options.decodesGzip = false
        let response = try await client.send(request, to: origin, options: options)
        if case .stream(let stream) = response.body {
            var count = 0
            while count <= responseBytes, let piece = try? await stream.next() {
                count += piece.count
            }
        }
        return response.status
    }
}
