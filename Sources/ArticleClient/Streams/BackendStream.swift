public import ArticleAPI
public import BroadsheetHTTP

/// The body of a response as it arrives, piece by piece; releasing it ends the exchange.
///
/// A stream belongs to the session of its request: when that ends, it fails with
/// `BackendError.signedOut`. An interrupted body fails, unless only the end of the connection
/// delimits it. A value; each piece is delivered once, on the actor that iterates.
///
/// ```swift
/// let stream = try await backend.stream(request)
/// for try await piece in stream { received += piece }
/// ```
public struct BackendStream: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = BackendError

    public let status: HTTPStatus
    public let fields: HTTPFields
    /// The total length in bytes, if known.
    public let length: Int?
    private let body: HTTPBodyStream

    init(_ response: HTTPResponse, _ body: HTTPBodyStream) {
        status = response.status
        fields = response.fields
        length = body.length
        self.body = body
    }

    public func makeAsyncIterator() -> Iterator { Iterator(body: body) }

    /// All iterators share the one body.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let body: HTTPBodyStream

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BackendError) -> [UInt8]? {
            do { return try await body.next() } catch {
                throw BackendError(streaming: error)
            }
        }
    }
}

extension BackendError {
    /// Creates the error with which a body was interrupted.
    fileprivate init(streaming error: any Error) {
        switch error {
        case let error as BackendError: self = error
        case let error as TransportError: self = BackendError(error)
        default: self = .transport(TransportFailure(.disconnected, "\(error)"))
        }
    }
}

/// The response to a streamed request.
enum OpenedStream: Sendable {
    case stream(BackendStream)
    /// An unsuccessful response, with the beginning of its body.
    case rejection(CallResponse)
}

extension BackendService {
    /// Sends the request and returns its response while it arrives: a download or an event stream.
    ///
    /// The request may be retried until the response's head has arrived; after that, the reader has
    /// to repeat an interrupted request. The timeout applies to the head, or to the whole of an
    /// unsuccessful response; `streamStallTimeout` applies to each piece:
    ///
    /// `backend.stream(feed, options: RequestOptions(streamStallTimeout: .seconds(60)))`
    public func stream<Request: BackendAPIRequest>(
        _ request: Request, options: RequestOptions = .init()
    ) async throws(BackendError) -> BackendStream {
        switch try await opened(request, options: options) {
        case .stream(let stream): return stream
        case .rejection(let response): throw Self.error(of: response)
        }
    }

    /// Sends the request and returns its response of any status.
    ///
    /// - Parameter session: the session in which the request was made; `nil` for the current one.
    func opened<Request: BackendAPIRequest>(
        _ request: Request, options: RequestOptions, in session: Session.ID? = nil
    ) async throws(BackendError) -> OpenedStream {
        let call = try await call(
            RequestPrinter.print(request), options, isStreamed: true,
            carriesSecrets: Request.endpoint.carriesSecrets, in: session)
        let response = try await alone(call) { await opened(call) }.get()
        guard (200..<300).contains(response.status.code) else {
            return .rejection(CallResponse(response))
        }
        guard case .stream(let body) = response.body else {
            throw .transport(
                TransportFailure(.unsupported, "the transport does not support streaming"))
        }
        let watched = body.watched(
            in: call.session, of: auth, options.streamStallTimeout, by: environment.now)
        return .stream(BackendStream(response, watched))
    }

    /// A streamed response, or an unsuccessful one with its body.
    private func opened(_ call: Call) async -> Outcome {
        let outcome = await exchanged(call)
        guard case .success(var response) = outcome, case .stream(let body) = response.body,
            !(200..<300).contains(response.status.code)
        else { return outcome }
        do throws(BackendError) {
            response.body = .bytes(try await Self.beginning(of: BackendStream(response, body)))
        } catch { return .failure(error) }
        return .success(response)
    }

    /// The beginning of an unsuccessful response, which is enough to decode its problem.
    private static func beginning(of stream: BackendStream) async throws(BackendError) -> [UInt8] {
        var bytes: [UInt8] = []
        var iterator = stream.makeAsyncIterator()
        while bytes.count < 64 << 10, let piece = try await iterator.next(isolation: nil) {
            bytes += piece
        }
        return bytes
    }
}

extension HTTPBodyStream {
    /// The same body, which fails with `signedOut` when its session ends, and with `timedOut` if a
    /// piece takes longer than `wait`.
    fileprivate func watched(
        in session: Session, of auth: BackendAuth, _ wait: Duration?,
        by now: @escaping @Sendable () -> Duration
    ) -> HTTPBodyStream {
        if session == .anonymous, wait == nil { return self }
        return HTTPBodyStream(length: length) {
            // Nothing is read for a session that has ended.
            _ = try auth.token(of: session)
            let waitLimit = WaitLimit(auth, session.id, for: wait, from: now(), by: now)
            let piece = SharedTask<[UInt8]?>()
            piece.start {
                do { return .success(try await next()) } catch {
                    return .failure(BackendError(streaming: error))
                }
            }
            return try await (piece.join(waitLimit) ?? .failure(.cancelled)).get()
        }
    }
}
