import ArticleClient
import BroadsheetHTTP
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request by URLSession; its caller receives the outcome exactly once.
final class URLSessionExchange: Sendable {
    typealias Outcome = Result<HTTPResponse, TransportError>
    typealias Caller = UnsafeContinuation<Outcome, Never>

    private struct State {
        var caller: Caller?
        var early: TransportError?
        var isOver = false
        var isDistrusted = false
        var cancel: (@Sendable () -> Void)?
        var flow: URLSessionStream.Flow?
        var head: HTTPResponse?
        var body: [UInt8] = []
        var stream: URLSessionStream?
        var stopDeadline: (@Sendable () -> Void)?
    }

    private let options: TransportOptions
    private let uploadBytes: Int
    private let streamBytes: Int
    private let state = Locked(State())

    /// - Parameter uploadBytes: the size of the request's body.
    init(_ options: TransportOptions, uploadBytes: Int, streamBytes: Int) {
        self.options = options
        self.uploadBytes = uploadBytes
        self.streamBytes = streamBytes
    }

    /// Work items may be used from any thread (dispatch_block_cancel(3)).
    // Whether `DispatchWorkItem` is declared `Sendable` depends on the SDK.
    private struct Deadline: @unchecked Sendable {
        let item: DispatchWorkItem

        init(_ work: @escaping @Sendable () -> Void) { item = DispatchWorkItem(block: work) }
    }

    // MARK: For the caller

    /// Sets the caller and starts, unless the exchange has already ended.
    func begin(_ caller: Caller, _ start: () -> Void) {
        let early = state.withLock { state in
            if state.early == nil { state.caller = caller }
            return state.early
        }
        if let early { return caller.resume(returning: .failure(early)) }
        // URLSession's own timeouts restart with each byte.
        let deadline = Deadline { [weak self] in self?.deadlineCame() }
        state.withLock { $0.stopDeadline = { deadline.item.cancel() } }
        DispatchQueue.global().asyncAfter(
            deadline: .now() + .milliseconds(options.timeout.wholeMilliseconds),
            execute: deadline.item)
        start()
    }

    /// Sets how the exchange's task is cancelled and paused.
    func began(cancel: @escaping @Sendable () -> Void, flow: URLSessionStream.Flow?) {
        let isOver = state.withLock { state in
            state.cancel = cancel
            state.flow = flow
            return state.isOver && state.stream == nil
        }
        if isOver { cancel() }
    }

    private func deadlineCame() {
        // The deadline of a stream only applies to its head.
        let isStreaming = state.withLock { $0.stream != nil }
        if !isStreaming { end(.timedOut) }
    }

    /// Ends the exchange, even in the middle of a stream.
    func end(_ error: TransportError) {
        let (stream, cancel) = state.withLock { ($0.stream, $0.cancel) }
        finish(.failure(error))
        stream?.end(.failure(error))
        cancel?()
    }

    private func finish(_ outcome: Outcome) {
        let caller = state.withLock { state -> Caller? in
            guard !state.isOver else { return nil }
            state.isOver = true
            state.stopDeadline.take()?()
            if state.caller == nil, case .failure(let error) = outcome { state.early = error }
            return state.caller.take()
        }
        caller?.resume(returning: outcome)
    }

    // MARK: For the session

    /// The app does not trust the server: the session's cancellation is to be reported as such.
    func distrusts() { state.withLock { $0.isDistrusted = true } }

    func sent(_ count: Int) {
        options.uploadProgress?(min(count, uploadBytes), uploadBytes)
    }

    func received(_ response: URLResponse) {
        guard let head = HTTPResponse(response) else {
            return end(.failed(TransportFailure(.malformed, "the response is not HTTP")))
        }
        guard options.isStreamed else { return state.withLock { $0.head = head } }
        let flow = state.withLock { $0.flow }
        let stream = URLSessionStream(limitBytes: streamBytes, flow) { [weak self] in
            self?.end(.cancelled)
        }
        let isFirst = state.withLock { state in
            guard state.stream == nil, !state.isOver else { return false }
            state.stream = stream
            return true
        }
        guard isFirst else { return }
        let reader = URLSessionStream.Reader(stream)
        var streamed = head
        streamed.body = .stream(
            HTTPBodyStream(length: HTTPResponse.bodyLength(response)) { try await reader.next() })
        finish(.success(streamed))
    }

    func received(_ data: Data) {
        let (stream, isTooLong) = state.withLock { state in
            guard state.stream == nil else { return (state.stream, false) }
            guard state.body.count + data.count <= options.bodyBytes else { return (nil, true) }
            state.body.append(contentsOf: data)
            return (nil as URLSessionStream?, false)
        }
        if isTooLong {
            return end(
                .failed(
                    TransportFailure(
                        .tooLarge, "the response is longer than \(options.bodyBytes) bytes")))
        }
        guard let stream, !stream.add(Array(data)) else { return }
        end(.failed(TransportFailure(.overloaded, "the reader of the stream is too slow")))
    }

    func completed(_ response: URLResponse?, _ error: (any Error)?) {
        if error == nil, state.withLock({ $0.head == nil && $0.stream == nil }), let response {
            // Some responses are only delivered on completion.
            received(response)
        }
        let (head, body, stream) = state.withLock { ($0.head, $0.body, $0.stream) }
        if let error {
            var failure = TransportError(error)
            if failure == .cancelled, state.withLock({ $0.isDistrusted }) {
                failure = .failed(
                    TransportFailure(.insecure, "The app does not trust the server's certificate."))
            }
            finish(.failure(failure))
            stream?.end(.failure(failure))
        } else if let stream {
            stream.end(.success(()))
        } else if var head {
            head.body = .bytes(body)
            finish(.success(head))
        } else {
            finish(.failure(.failed(TransportFailure(.malformed, "there was no response"))))
        }
    }
}
