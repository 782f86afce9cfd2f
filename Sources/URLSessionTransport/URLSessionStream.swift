import ArticleClient

/// A streamed body between the session and its reader; bounded, though the session cannot wait.
final class URLSessionStream: Sendable {
    typealias Piece = Result<[UInt8]?, TransportError>

    private struct State {
        var pieces: [[UInt8]] = []
        var bytes = 0
        var end: Result<Void, TransportError>?
        var reader: UnsafeContinuation<Piece, Never>?
    }

    private let limitBytes: Int
    private let abandon: @Sendable () -> Void
    private let state = Guarded(State())

    /// - Parameter abandon: called when nobody reads any more.
    init(limitBytes: Int, abandon: @escaping @Sendable () -> Void) {
        self.limitBytes = limitBytes
        self.abandon = abandon
    }

    /// Adds a piece; false if the reader has fallen too far behind.
    func add(_ piece: [UInt8]) -> Bool {
        guard !piece.isEmpty else { return true }
        let (reader, fits) = state.withLock { state in
            guard state.end == nil else { return (nil as UnsafeContinuation<Piece, Never>?, true) }
            if let reader = state.reader.take() { return (reader, true) }
            state.pieces.append(piece)
            state.bytes += piece.count
            return (nil, state.bytes <= limitBytes)
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
                    defer { (state.pieces, state.bytes) = ([], 0) }
                    return .success(Array(state.pieces.joined()))
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
