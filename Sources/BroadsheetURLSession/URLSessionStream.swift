import ArticleClient

/// A bounded buffer of a streamed body between the session and its reader. When it is full, the
/// session pauses if it can; otherwise the stream fails.
final class URLSessionStream: Sendable {
    typealias Piece = Result<[UInt8]?, TransportError>

    /// The operations that pause and resume the session.
    struct Flow: Sendable {
        let pause: @Sendable () -> Void
        let goOn: @Sendable () -> Void
    }

    private struct State {
        var pieces: [[UInt8]] = []
        var bytes = 0
        var isPaused = false
        var end: Result<Void, TransportError>?
        var reader: UnsafeContinuation<Piece, Never>?
    }

    private let limitBytes: Int
    private let flow: Flow?
    private let abandon: @Sendable () -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - limitBytes: the buffered bytes above which the session is paused. It still delivers what
    ///     it has received by then; at four times the limit, the stream fails.
    ///   - flow: `nil` if the session cannot be paused; then the stream fails at the limit.
    ///   - abandon: called when the reader is gone.
    init(limitBytes: Int, _ flow: Flow? = nil, abandon: @escaping @Sendable () -> Void) {
        self.limitBytes = limitBytes
        self.flow = flow
        self.abandon = abandon
    }

    /// Adds a piece; false if the reader has fallen too far behind.
    func add(_ piece: [UInt8]) -> Bool {
        guard !piece.isEmpty else { return true }
        let longest = flow == nil ? limitBytes : 4 * limitBytes
        let (reader, fits) = state.withLock { state in
            guard state.end == nil else { return (nil as UnsafeContinuation<Piece, Never>?, true) }
            if let reader = state.reader.take() { return (reader, true) }
            state.pieces.append(piece)
            state.bytes += piece.count
            if state.bytes > limitBytes, !state.isPaused, let flow {
                // Within the lock, so that the reader's `goOn` comes after it. Neither blocks.
                state.isPaused = true
                flow.pause()
            }
            return (nil, state.bytes <= longest)
        }
        reader?.resume(returning: .success(piece))
        return fits
    }

    /// Only the first end counts.
    func end(_ end: Result<Void, TransportError>) {
        let reader = state.withLock { state -> UnsafeContinuation<Piece, Never>? in
            guard state.end == nil else { return nil }
            state.end = end
            if case .failure = end { (state.pieces, state.bytes) = ([], 0) }
            return state.reader.take()
        }
        reader?.resume(returning: end.map { nil })
    }

    private func next() async throws(TransportError) -> [UInt8]? {
        let piece = await withUnsafeContinuation { reader in
            let piece: Piece? = state.withLock { state in
                guard state.pieces.isEmpty else {
                    // Everything that has arrived is delivered at once.
                    let piece = Array(state.pieces.joined())
                    (state.pieces, state.bytes) = ([], 0)
                    if state.isPaused {
                        state.isPaused = false
                        flow?.goOn()
                    }
                    return .success(piece)
                }
                if let end = state.end { return end.map { nil } }
                // There is one reader at a time; a second one fails.
                guard state.reader == nil else { return .failure(.cancelled) }
                state.reader = reader
                return nil
            }
            if let piece { reader.resume(returning: piece) }
        }
        return try piece.get()
    }

    /// The reading end; releasing it ends the exchange.
    final class Reader: Sendable {
        private let stream: URLSessionStream

        init(_ stream: URLSessionStream) { self.stream = stream }

        deinit { stream.abandon() }

        func next() async throws -> [UInt8]? {
            try await withTaskCancellationHandler {
                try await stream.next()
            } onCancel: {
                stream.abandon()
            }
        }
    }
}
