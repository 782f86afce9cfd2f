import BroadsheetHTTP
import BroadsheetPlatform

/// Passes a body from the connection to its reader. It is bounded, so that a slow reader applies
/// back pressure to the sender.
final class BoundedBodyStream: Sendable {
    typealias Piece = Result<[UInt8]?, HTTPClientError>
    private typealias Reader = UnsafeContinuation<Piece, Never>

    private struct State {
        var pieces: [[UInt8]] = []
        var head = 0
        var bytes = 0
        var end: Result<Void, HTTPClientError>?
        var reader: Reader?
        var isWriterWaiting = false
    }

    private let windowBytes: Int
    private let state = Lock(State())
    /// Called when a writer that has to wait may continue.
    private let resumeReading: @Sendable () -> Void

    init(windowBytes: Int, resumeReading: @escaping @Sendable () -> Void) {
        self.windowBytes = windowBytes
        self.resumeReading = resumeReading
    }

    // MARK: Writing

    /// Appends a piece, which must not be empty.
    /// - Returns: True if there is room for more; otherwise `resumeReading` will be called.
    func add(_ piece: [UInt8]) -> Bool {
        let (reader, hasRoom) = state.withLock { state in
            guard state.end == nil else { return (nil as Reader?, true) }
            if let reader = state.reader.take() { return (reader, true) }
            state.pieces.append(piece)
            state.bytes += piece.count
            state.isWriterWaiting = state.bytes >= windowBytes
            return (nil, !state.isWriterWaiting)
        }
        reader?.resume(returning: .success(piece))
        return hasRoom
    }

    /// Ends the body, completely or with an error. Only the first call has an effect.
    func end(_ end: Result<Void, HTTPClientError>) {
        let (reader, isWriterWaiting) = state.withLock { state in
            guard state.end == nil else { return (nil as Reader?, false) }
            state.end = end
            // A complete body can still be read to its end; a truncated one cannot.
            if case .failure = end { (state.pieces, state.head, state.bytes) = ([], 0, 0) }
            defer { state.isWriterWaiting = false }
            return (state.reader.take(), state.isWriterWaiting)
        }
        reader?.resume(returning: end.map { nil })
        if isWriterWaiting { resumeReading() }
    }

    // MARK: Reading

    /// The next piece; `nil` at the end.
    func next() async throws(HTTPClientError) -> [UInt8]? {
        let piece = await withUnsafeContinuation { reader in
            let (piece, hasRoomAgain) = take(or: reader)
            if let piece { reader.resume(returning: piece) }
            if hasRoomAgain { resumeReading() }
        }
        return try piece.get()
    }

    private func take(
        or reader: Reader
    ) -> (piece: Piece?, hasRoomAgain: Bool) {
        state.withLock { state in
            guard state.head < state.pieces.count else {
                if let end = state.end { return (end.map { nil }, false) }
                // Only one reader at a time is supported: a second one gets nothing.
                guard state.reader == nil else { return (.failure(.cancelled), false) }
                state.reader = reader
                return (nil, false)
            }
            let piece = state.pieces[state.head]
            state.head += 1
            state.bytes -= piece.count
            if state.head == state.pieces.count { (state.pieces, state.head) = ([], 0) }
            guard state.isWriterWaiting, state.bytes <= windowBytes / 2 else {
                return (.success(piece), false)
            }
            state.isWriterWaiting = false
            return (.success(piece), true)
        }
    }
}

/// The reading end of a pipe; releasing it ends the exchange.
final class BodyReader: Sendable {
    private let pipe: BoundedBodyStream
    private let exchange: ClientExchange

    init(_ pipe: BoundedBodyStream, of exchange: ClientExchange) {
        self.pipe = pipe
        self.exchange = exchange
    }

    deinit { exchange.cancel() }

    func next() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await pipe.next()
        } onCancel: {
            exchange.cancel()
        }
    }
}

extension ClientExchange {
    /// Delivers a response whose body is read from the pipe. From here on only the caller holds the
    /// reader, whose release ends the exchange.
    func hand(_ response: HTTPResponse, length: Int?, _ pipe: BoundedBodyStream) {
        var response = response
        let reader = BodyReader(pipe, of: self)
        response.body = .stream(HTTPBodyStream(length: length) { try await reader.next() })
        finish(.success(response), streaming: pipe)
    }
}
