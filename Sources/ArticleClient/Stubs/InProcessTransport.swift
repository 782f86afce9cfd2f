public import BroadsheetHTTP

/// Responds to requests with a closure, for tests and previews without sockets.
///
/// Deadlines, limits and cancellation have the same effect as with a transport over the network,
/// even if the closure ignores them. Safe to use from any thread; the closure runs on any thread,
/// several times at once.
///
/// ```swift
/// let transport = InProcessTransport { request, origin in
///     HTTPResponse(.ok, body: .bytes(Array("\(origin)\(request.target)".utf8)))
/// }
/// ```
public struct InProcessTransport: Transport {
    private let environment: ClientEnvironment
    private let respond: @Sendable (HTTPRequest, HTTPOrigin) async throws -> HTTPResponse

    /// - Parameters:
    ///   - environment: the clock by which requests time out: that of the service.
    ///   - respond: may throw a `TransportError`; other errors count as a lost connection.
    public init(
        environment: ClientEnvironment = .system,
        _ respond: @escaping @Sendable (HTTPRequest, HTTPOrigin) async throws -> HTTPResponse
    ) {
        self.environment = environment
        self.respond = respond
    }

    public func exchange(
        _ request: HTTPRequest, with origin: HTTPOrigin, options: TransportOptions
    ) async throws(TransportError) -> HTTPResponse {
        let flight = SharedTask<HTTPResponse>()
        // Callers do not depend on the closure, which may ignore cancellation.
        flight.start { [respond] in
            do {
                let response = try await respond(request, origin)
                options.uploadProgress?(request.body.count, request.body.count)
                return .success(try await Self.shaped(response, options))
            } catch {
                return .failure(BackendError(Self.failure(error)))
            }
        }
        let deadline = SharedTask<HTTPResponse>(outlivesWaiters: true)
        deadline.start { [environment] in
            try? await environment.wait(for: options.timeout)
            if !Task.isCancelled { flight.end(.failure(.timedOut)) }
            return .failure(.timedOut)
        }
        let outcome = await flight.join() ?? .failure(.cancelled)
        deadline.end(.failure(.cancelled))
        switch outcome {
        case .success(let response): return response
        case .failure(.timedOut): throw .timedOut
        case .failure(.offline(let reason)): throw .offline(reason)
        case .failure(.transport(let failure)): throw .failed(failure)
        case .failure: throw .cancelled
        }
    }

    private static func failure(_ error: any Error) -> TransportError {
        if error is CancellationError { return .cancelled }
        return error as? TransportError ?? .failed(TransportFailure(.disconnected, "\(error)"))
    }

    /// The response with a complete or a streamed body, as requested.
    private static func shaped(
        _ response: HTTPResponse, _ options: TransportOptions
    ) async throws -> HTTPResponse {
        var response = response
        switch response.body {
        case .stream(let stream) where !options.isStreamed:
            var bytes: [UInt8] = []
            while let piece = try await stream.next() {
                bytes += piece
                try check(bytes.count, options)
            }
            response.body = .bytes(bytes)
        case .bytes(let bytes):
            try check(bytes.count, options)
            if options.isStreamed { response.body = .stream(once(bytes)) }
        case .none: response.body = options.isStreamed ? .stream(once([])) : .bytes([])
        case .stream: break
        }
        return response
    }

    private static func check(_ count: Int, _ options: TransportOptions) throws(TransportError) {
        guard count <= options.bodyBytes else {
            throw .failed(
                TransportFailure(
                    .tooLarge, "the response is longer than \(options.bodyBytes) bytes"))
        }
    }

    private static func once(_ bytes: [UInt8]) -> HTTPBodyStream {
        let rest = Locked<[UInt8]?>(bytes.isEmpty ? nil : bytes)
        return HTTPBodyStream(length: bytes.count) { rest.withLock { $0.take() } }
    }
}
