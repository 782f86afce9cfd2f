/// One event of a stream (the HTML standard, §9.2). See ``ServerSentEvents``.
public struct ServerSentEvent: Sendable, Hashable {
    /// `message` if the stream does not name a type.
    public var type: String
    public var data: String
    /// The id for `Last-Event-ID` when resuming; empty if there is none.
    public var id: String
    /// The time to wait before reconnecting, as last set by the backend; `nil` if it was not set.
    public var retry: Duration?

    public init(type: String = "message", data: String, id: String = "", retry: Duration? = nil) {
        self.type = type
        self.data = data
        self.id = id
        self.retry = retry
    }
}

/// The events of a stream, in order.
///
/// When the stream is interrupted, repeat the request after the last event's `retry`, with its `id`
/// as `Last-Event-ID`. The iterator has both even if they came without an event. An event that is
/// longer than the limit ends the sequence with an error. A value; iterate over it once, on any
/// actor.
///
/// ```swift
/// for try await event in ServerSentEvents(try await backend.stream(request)) {
///     texts.append(event.data)
///     lastID = event.id
/// }
/// ```
public struct ServerSentEvents: AsyncSequence, Sendable {
    public typealias Element = ServerSentEvent
    public typealias Failure = BackendError

    private let stream: BackendStream
    private let limitBytes: Int

    /// - Parameters:
    ///   - stream: the body with the events.
    ///   - limitBytes: the maximum size of one event; a longer one ends the sequence with an error.
    public init(_ stream: BackendStream, limitBytes: Int = 1 << 20) {
        self.stream = stream
        self.limitBytes = limitBytes
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(pieces: stream.makeAsyncIterator(), parser: EventParser(limitBytes: limitBytes))
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var pieces: BackendStream.Iterator
        fileprivate var parser: EventParser

        /// The last id that the stream has set, with an event or without data; empty if there is
        /// none.
        public var lastEventID: String { parser.lastEventID }
        /// The time to wait before reconnecting, as last set by the backend; `nil` if it was not
        /// set.
        public var retry: Duration? { parser.retry }

        public mutating func next() async throws(BackendError) -> ServerSentEvent? {
            try await next(isolation: #isolation)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BackendError) -> ServerSentEvent? {
            while true {
                if let event = try parser.next() { return event }
                guard let piece = try await pieces.next(isolation: actor) else { return nil }
                parser.add(piece)
            }
        }
    }
}
