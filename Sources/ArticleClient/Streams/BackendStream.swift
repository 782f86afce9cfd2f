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

        public mutating func next() async throws(BackendError) -> [UInt8]? {
            try await next(isolation: #isolation)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BackendError) -> [UInt8]? {
            do { return try await body.next() } catch {
                throw BackendError(streaming: error)
            }
        }
    }
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
        try await stream(request, options: options, in: nil)
    }

    /// - Parameter session: the session in which the request was made; `nil` for the current one.
    func stream<Request: BackendAPIRequest>(
        _ request: Request, options: RequestOptions, in session: Session.ID?
    ) async throws(BackendError) -> BackendStream {
        let call = try await call(
            RequestPrinter.print(request), options, Request.self,
            expecting: Request.Item.encoding.mediaType, isStreamed: true, in: session)
        let response = try await alone(call) { await exchanged(call) }.get()
        guard case .stream(let body) = response.body else {
            throw .transport(
                TransportFailure(.unsupported, "the transport does not support streaming"))
        }
        let watched = body.watched(
            in: call.session, of: auth, options.streamStallTimeout, by: environment.now)
        return BackendStream(response, watched)
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
