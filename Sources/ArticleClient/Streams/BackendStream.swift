public import ArticleAPI
public import HTTP

/// The body of a response as it arrives, piece by piece; releasing it ends the exchange.
///
/// A stream belongs to the session of its request: when that ends, it fails with
/// `BackendError.signedOut`.
public struct BackendStream: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = BackendError

    public let status: HTTPStatus
    public let fields: HTTPFields
    /// The whole length in bytes, where it is known.
    public let length: Int?
    private let body: HTTPBodyStream

    init(_ response: HTTPResponse, _ body: HTTPBodyStream) {
        status = response.status
        fields = response.fields
        length = body.length
        self.body = body
    }

    public func makeAsyncIterator() -> Iterator { Iterator(body: body) }

    /// There is one body: two iterators share it.
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
    /// Why a body broke off.
    fileprivate init(streaming error: any Error) {
        switch error {
        case let error as BackendError: self = error
        case let error as TransportError: self = BackendError(error)
        default: self = .transport(TransportFailure(.disconnected, "\(error)"))
        }
    }
}

extension BackendService {
    /// Sends the request and gives its answer as it comes: a download, or a stream of events.
    ///
    /// Until the answer's head is there it may be sent again like any other; a stream that breaks
    /// off then is the reader's to ask for anew. The timeout is for the head, and for the whole of
    /// a response that is no success; `streamStallTimeout` is for each piece:
    ///
    /// `backend.stream(feed, options: RequestOptions(streamStallTimeout: .seconds(60)))`
    public func stream<Request: BackendAPIRequest>(
        _ request: Request, options: RequestOptions = .init()
    ) async throws(BackendError) -> BackendStream {
        let call = try await call(RequestPrinter.print(request), options, isStreamed: true)
        let response = try await alone(call) { await opened(call) }.get()
        guard (200..<300).contains(response.status.code) else {
            throw Self.error(of: Answer(response))
        }
        guard case .stream(let body) = response.body else {
            throw .transport(TransportFailure(.unsupported, "the transport cannot stream"))
        }
        return BackendStream(
            response, body.watched(in: call.session, of: auth, options.streamStallTimeout))
    }

    /// A response to read from, or one that is no success with what it says.
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

    /// Enough of an answer that is no success to see what it says.
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
    /// The same body; it ends with `signedOut` when its session does, and with `timedOut` when a
    /// piece takes longer than `wait`.
    fileprivate func watched(
        in session: Session, of auth: BackendAuth, _ wait: Duration?
    ) -> HTTPBodyStream {
        if session == .anonymous, wait == nil { return self }
        let stay = Stay(
            auth: auth, session: session.id, deadline: .zero, left: wait ?? .seconds(Int64.max))
        return HTTPBodyStream(length: length) {
            // Nothing more is read for a session that is over.
            _ = try auth.token(of: session)
            let piece = SharedTask<[UInt8]?>()
            piece.start {
                do { return .success(try await next()) } catch {
                    return .failure(BackendError(streaming: error))
                }
            }
            return try await (piece.join(stay) ?? .failure(.cancelled)).get()
        }
    }
}
