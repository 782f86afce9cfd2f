public import ArticleAPI
public import HTTP

/// The body of an answer as it comes, piece by piece; letting it go ends the exchange.
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
                throw (error as? TransportError).map { BackendError($0) }
                    ?? .transport(TransportFailure(.disconnected, "\(error)"))
            }
        }
    }
}

extension BackendService {
    /// Sends the request and gives its answer as it comes: a download, or a stream of events.
    ///
    /// Until the answer's head is there it may be sent again like any other; a stream that breaks
    /// off then is the reader's to ask for anew.
    public func stream<Request: BackendAPIRequest>(
        _ request: Request, options: RequestOptions = .init()
    ) async throws(BackendError) -> BackendStream {
        var call = try await call(Self.printed(request), options)
        call.isStreamed = true
        let response = try await alone(call) { await exchanged($0) }.get()
        guard case .stream(let body) = response.body else {
            throw .transport(TransportFailure(.unsupported, "the transport cannot stream"))
        }
        let stream = BackendStream(response, body)
        guard !(200..<300).contains(response.status.code) else { return stream }
        var whole = response
        whole.body = .bytes(try await Self.beginning(of: stream))
        throw Self.error(of: Answer(whole))
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
