/// One event of a stream (the HTML standard, §9.2). A value; use it anywhere. See
/// ``ServerSentEvents``.
public struct ServerSentEvent: Sendable, Hashable {
    /// `message` if the stream does not name a type.
    public var type: String
    public var data: String
    /// The id for `Last-Event-ID` when resuming; empty if there is none.
    public var id: String
    /// How long to wait before reconnecting, as last set by the backend; `nil` if it was not set.
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
/// as `Last-Event-ID`. An event that is longer than the limit ends the sequence with an error. A
/// value; iterate over it once, on any actor.
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

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BackendError) -> ServerSentEvent? {
            while true {
                if let event = parser.next() { return event }
                guard let piece = try await pieces.next(isolation: actor) else { return nil }
                try parser.add(piece)
            }
        }
    }
}

/// Parses events from bytes that arrive in pieces of any size.
struct EventParser {
    private let limitBytes: Int
    private var line: [UInt8] = []
    private var isAfterReturn = false
    private var isAtStart = true
    private var type = ""
    /// The lines of data, each followed by a line feed.
    private var data: [UInt8] = []
    private var hasData = false
    private var id = ""
    private var retry: Duration?
    private var ready: [ServerSentEvent] = []
    private var taken = 0

    init(limitBytes: Int) { self.limitBytes = limitBytes }

    mutating func next() -> ServerSentEvent? {
        guard taken < ready.count else {
            (ready, taken) = ([], 0)
            return nil
        }
        taken += 1
        return ready[taken - 1]
    }

    mutating func add(_ bytes: [UInt8]) throws(BackendError) {
        // Invariant: `line` has the bytes after the last end of line (CR, LF or both).
        for byte in bytes {
            let isSecondHalf = isAfterReturn && byte == 0x0A
            isAfterReturn = byte == 0x0D
            guard !isSecondHalf else { continue }
            guard byte == 0x0A || byte == 0x0D else {
                line.append(byte)
                guard line.count + data.count <= limitBytes else {
                    throw .transport(
                        TransportFailure(
                            .tooLarge, "an event is longer than \(limitBytes) bytes"))
                }
                continue
            }
            endLine()
        }
    }

    private mutating func endLine() {
        defer { line.removeAll(keepingCapacity: true) }
        if isAtStart, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isAtStart = false
        guard !line.isEmpty else { return dispatch() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == 0x20 { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": type = String(decoding: value, as: UTF8.self)
        case "data":
            data += value
            data.append(0x0A)
            hasData = true
        case "id" where !value.contains(0): id = String(decoding: value, as: UTF8.self)
        case "retry": retry = Self.milliseconds(value) ?? retry
        default: break
        }
    }

    /// The milliseconds, at most a day; `nil` unless there are only digits.
    private static func milliseconds(_ digits: ArraySlice<UInt8>) -> Duration? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let day = 86_400_000
        return .milliseconds(min(Int(String(decoding: digits, as: UTF8.self)) ?? day, day))
    }

    private mutating func dispatch() {
        if hasData {
            ready.append(
                ServerSentEvent(
                    type: type.isEmpty ? "message" : type,
                    data: String(decoding: data.dropLast(), as: UTF8.self), id: id, retry: retry))
        }
        type = ""
        data = []
        hasData = false
    }
}
