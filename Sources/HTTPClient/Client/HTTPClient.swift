public import HTTP
public import Sockets

/// An HTTP/1.1 client on sockets: kept-alive connections to each origin, bounded, on one event
/// loop.
///
/// Many may use it at once. When the last one lets it go, its connections end.
public final class HTTPClient: Sendable {
    private let pool: ConnectionPool

    public init(_ configuration: HTTPClientConfiguration = .init()) throws(SystemError) {
        pool = ConnectionPool(configuration, try EventLoop(index: 0))
    }

    deinit { pool.stop() }

    /// Connections that are open or about to be.
    public var connectionCount: Int { pool.loop.channelCount }

    /// The event loop: work that goes on there after an exchange wakes no other thread. It must not
    /// block.
    public var executor: any TaskExecutor { pool.loop }

    /// Sends the request and gives the answer: whole, or with a body that streams.
    ///
    /// A request that only reads is sent a second time if a kept connection turns out to have
    /// ended. Cancelling the task ends the exchange at once.
    ///
    /// - Parameter request: `Host` is filled in where it is missing.
    public func send(
        _ request: HTTPRequest, to origin: HTTPOrigin, options: ExchangeOptions = .init()
    ) async throws(HTTPClientError) -> HTTPResponse {
        guard !request.fields.hasRejectedValue else {
            throw .malformed("the request has a field whose value cannot be sent")
        }
        var (request, options) = (Self.addressed(request, to: origin), options)
        if request.fields.contains(.acceptEncoding) || request.fields.contains(.range) {
            options.decodesGzip = false
        } else if options.decodesGzip {
            request.fields.append(.acceptEncoding, "gzip")
        }
        let exchange = Exchange(request, to: origin, options, in: pool)
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { exchange.begin($0) }
        } onCancel: {
            exchange.cancel()
        }
        var response = try outcome.get()
        if case .stream(let stream) = response.body {
            // A body that is still being read keeps the client, and so its connection.
            response.body = .stream(
                HTTPBodyStream(length: stream.length) { [self] in
                    defer { withExtendedLifetime(self) {} }
                    return try await stream.next()
                })
        }
        return response
    }

    /// Ends every exchange and connection; what is sent later fails with `stopped`.
    public func stop() { pool.stop() }

    private static func addressed(_ request: HTTPRequest, to origin: HTTPOrigin) -> HTTPRequest {
        guard !request.fields.contains(.host) else { return request }
        var request = request
        // A recipient wants it first (RFC 9110 §7.2).
        var fields: HTTPFields = [.host: origin.authority]
        fields.append(contentsOf: request.fields)
        request.fields = fields
        return request
    }
}
