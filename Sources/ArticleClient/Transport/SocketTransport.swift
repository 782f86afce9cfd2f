// HTTPClient is not available on Apple's platforms, where URLSession carries requests.
#if canImport(BroadsheetHTTPClient)
    public import BroadsheetHTTP
    public import BroadsheetHTTPClient
    import BroadsheetPlatform
    import BroadsheetSockets

    /// Carries requests over its own pooled connections, also over Unix sockets.
    ///
    /// Connections are reused and limited in number; requests wait for one in the order of arrival.
    /// Safe to use from any thread: the work is done on its own event loop.
    ///
    /// ```swift
    /// let transport = SocketTransport()
    /// let backend = BackendService(configuration: configuration, transport: transport)
    /// ```
    public final class SocketTransport: Transport {
        private let configuration: HTTPClientConfiguration
        private let client = Lock<HTTPClient?>(nil)

        /// The event loop starts with the first request.
        public init(_ configuration: HTTPClientConfiguration = .init()) {
            self.configuration = configuration
        }

        /// The number of connections that are open or being opened.
        public var connectionCount: Int { client.withLock { $0?.connectionCount ?? 0 } }

        public func exchange(
            _ request: HTTPRequest, with origin: HTTPOrigin, options: TransportOptions
        ) async throws(TransportError) -> HTTPResponse {
            let client = try startedClient()
            do throws(HTTPClientError) {
                var response = try await client.send(
                    request, to: origin, options: ExchangeOptions(options))
                if case .stream(let stream) = response.body {
                    response.body = .stream(Self.translated(stream))
                }
                return response
            } catch { throw TransportError(error) }
        }

        /// Its event loop.
        public var executor: (any TaskExecutor)? { try? startedClient().executor }

        private func startedClient() throws(TransportError) -> HTTPClient {
            do throws(SystemError) {
                return try client.withLock { (client) throws(SystemError) in
                    if let client { return client }
                    let new = try HTTPClient(configuration)
                    client = new
                    return new
                }
            } catch { throw .failed(TransportFailure(.overloaded, error.description)) }
        }

        private static func translated(_ stream: HTTPBodyStream) -> HTTPBodyStream {
            HTTPBodyStream(length: stream.length) {
                do { return try await stream.next() } catch {
                    throw (error as? HTTPClientError).map(TransportError.init) ?? error
                }
            }
        }
    }

    extension ExchangeOptions {
        fileprivate init(_ options: TransportOptions) {
            self.init()
            deadlineMilliseconds = options.timeout.milliseconds
            stallMilliseconds = options.stallTimeout?.milliseconds
            bodyBytes = options.bodyBytes
            isStreamed = options.isStreamed
            uploadProgress = options.uploadProgress
        }
    }

    extension TransportError {
        fileprivate init(_ error: HTTPClientError) {
            switch error {
            case .unknownHost, .cannotConnect, .forbiddenAddress:
                self = .offline(error.description)
            case .insecure: self = .failed(TransportFailure(.insecure, error.description))
            case .timedOut: self = .timedOut
            case .cancelled: self = .cancelled
            case .disconnected: self = .failed(TransportFailure(.disconnected, error.description))
            case .malformed, .requiresHTTP1:
                self = .failed(TransportFailure(.malformed, error.description))
            case .tooLarge: self = .failed(TransportFailure(.tooLarge, error.description))
            case .tooManyWaiting, .stopped:
                self = .failed(TransportFailure(.overloaded, error.description))
            }
        }
    }
#endif

extension Duration {
    /// Whole milliseconds, rounded up.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow else { return seconds < 0 ? .min : .max / 2 }
        return product + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
