public import HTTP
public import Platform
import Sockets

/// An HTTP/1.1 client on sockets, with a bounded pool of kept-alive connections per origin, on one
/// event loop.
///
/// It can be shared between tasks. Its connections close when the last reference is released.
public final class HTTPClient: Sendable {
    private let pool: ConnectionPool

    public init(_ configuration: HTTPClientConfiguration = .init()) throws(SystemError) {
        pool = ConnectionPool(configuration, try EventLoop(index: 0))
    }

    deinit { pool.stop() }

    /// The number of connections that are open or being opened.
    public var connectionCount: Int { pool.loop.channelCount }

    /// The client's event loop: continuing there after an exchange wakes no other thread. Work on
    /// it must not block.
    public var executor: any TaskExecutor { pool.loop }

    /// Sends the request and returns the response: complete, or with a streamed body.
    ///
    /// A safe request is retried once if a kept-alive connection turns out to be closed. Cancelling
    /// the task aborts the exchange immediately.
    ///
    /// - Parameter request: `Host` is added if it is missing.
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
            // A body that is still being read keeps the client, and so its connection, alive.
            response.body = .stream(
                HTTPBodyStream(length: stream.length) { [self] in
                    defer { withExtendedLifetime(self) {} }
                    return try await stream.next()
                })
        }
        return response
    }

    /// Aborts every exchange and closes every connection; later requests fail with `stopped`.
    public func stop() { pool.stop() }

    private static func addressed(_ request: HTTPRequest, to origin: HTTPOrigin) -> HTTPRequest {
        guard !request.fields.contains(.host) else { return request }
        var request = request
        // `Host` should be the first field (RFC 9110 §7.2).
        var fields: HTTPFields = [.host: origin.authority]
        fields.append(contentsOf: request.fields)
        request.fields = fields
        return request
    }
}
