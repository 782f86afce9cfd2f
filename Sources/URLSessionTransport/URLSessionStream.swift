import ArticleClient

/// A streamed body between the session and its reader; bounded: the session is made to wait where
/// it can, and otherwise the stream ends.
final class URLSessionStream: Sendable {
    typealias Piece = Result<[UInt8]?, TransportError>

    /// How the session is made to wait.
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
    ///   - limitBytes: held for the reader before the session has to wait. What it has received by
    ///     then still comes: four times as much is the end.
    ///   - flow: `nil`: the session cannot wait, and the limit is the end.
    ///   - abandon: called when nobody reads any more.
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
                // Within the lock: the reader's `goOn` must not come before it. Neither waits.
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
                    // All of it at once: it has come already.
                    let piece = Array(state.pieces.joined())
                    (state.pieces, state.bytes) = ([], 0)
                    if state.isPaused {
                        state.isPaused = false
                        flow?.goOn()
                    }
                    return .success(piece)
                }
                if let end = state.end { return end.map { nil } }
                // One reader at a time: a second one gets nothing.
                guard state.reader == nil else { return .failure(.cancelled) }
                state.reader = reader
                return nil
            }
            if let piece { reader.resume(returning: piece) }
        }
        return try piece.get()
    }

    /// The reader's end: letting it go ends the exchange.
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
