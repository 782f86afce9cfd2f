import ArticleServiceCore
import BroadsheetHTTP
public import BroadsheetHTTPClient

extension Webhooks {
    /// The maximum bytes of a response that are read, so that its connection can be used again.
    fileprivate static let responseBytes = 64 << 10

    /// These connections as deliveries use them: one for each receiver.
    public static func connections(
        _ connections: HTTPClientConfiguration
    ) -> HTTPClientConfiguration {
        var connections = connections
        connections.connectionsPerOrigin = limitReceivers
        connections.streamWindowBytes = responseBytes
        return connections
    }
}

extension OutboundEnvironment {
    /// Sends one batch. The status of the response decides; its body is read up to a limit, and
    /// does not matter unless it is late.
    func deliver(
        _ batch: [UInt8], _ fields: HTTPFields, to url: HTTPURL
    ) async throws(HTTPClientError) -> HTTPStatus {
        var options = ExchangeOptions()
        options.deadlineMilliseconds = Int64(timeout / .milliseconds(1))
        options.isStreamed = true
        options.limitsStream = true
        options.decodesGzip = false
        let request = HTTPRequest(.post, url.target, fields: fields, body: batch)
        let response = try await exchange(request, url.origin, options)
        guard case .stream(let stream) = response.body else { return response.status }
        var count = 0
        do {
            while count <= Webhooks.responseBytes, let piece = try await stream.next() {
                count += piece.count
            }
        } catch {
            if case HTTPClientError.timedOut = error { throw .timedOut }
        }
        return response.status
    }
}
