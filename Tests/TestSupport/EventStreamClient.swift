public import BroadsheetHTTP
public import BroadsheetSockets

/// A client of a stream of server-sent events. Calls block, with a timeout.
public final class EventStreamClient {
    /// An event with its fields as they were sent.
    public struct Event: Hashable, Sendable {
        public var type = ""
        public var id = ""
        public var data = ""
    }

    public let connection: RawConnection
    public let head: ResponseHead
    /// The `retry` that was last received, in milliseconds.
    public private(set) var retry: Int?
    /// The number of comments so far.
    public private(set) var comments = 0
    /// The id of the last event, or the one that was sent without an event since.
    public private(set) var lastID = ""
    /// True if the body has ended as it should, rather than by a broken connection.
    public var isComplete: Bool { decoder.isComplete }
    private var decoder: BodyDecoder
    private var text: [UInt8] = []
    /// The number of bytes of the body that are received before the connection is cut.
    private var left: Int

    /// Sends the request and waits for the head of the response.
    ///
    /// - Parameters:
    ///   - target: The path and query.
    ///   - fields: Lines of the request's head, each with its CRLF.
    ///   - limit: The number of bytes of the body after which the connection is cut.
    public init(
        _ address: SocketAddress, _ target: String, fields: String = "",
        receiveBuffer: Int32? = nil, cutAfter limit: Int? = nil
    ) throws {
        left = limit ?? .max
        connection = try RawConnection(address, receiveBuffer: receiveBuffer)
        try connection.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
        head = try connection.responseHead()
        decoder = try RawConnection.decoder(of: head)
    }

    /// The next event; `nil` at the end of the stream.
    public func next() throws -> Event? {
        var event = Event()
        while let line = try nextLine() {
            if line.isEmpty {
                guard !event.data.isEmpty || !event.type.isEmpty else { continue }
                return event
            }
            try note(line, in: &event)
        }
        return nil
    }

    private func note(_ line: String, in event: inout Event) throws {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
        switch parts[0] {
        case "": comments += 1
        case "event": event.type = String(value)
        case "id":
            event.id = String(value)
            lastID = event.id
        case "data": event.data += value
        case "retry": retry = Int(value)
        default: throw TestFailure("an unknown field: \(line)")
        }
    }

    /// The events up to and including the next one of a type.
    public func events(upTo type: String) throws -> [Event] {
        var events: [Event] = []
        while let event = try next() {
            events.append(event)
            if event.type == type { return events }
        }
        throw TestFailure("the stream ended without \(type)")
    }

    /// Receives until the stream ends.
    public func events() throws -> [Event] {
        var events: [Event] = []
        while let event = try next() { events.append(event) }
        return events
    }

    /// Waits for a comment; no event may come before it.
    public func receiveComment() throws {
        let before = comments
        while comments == before {
            guard let line = try nextLine() else {
                throw TestFailure("the stream ended without a comment")
            }
            // The empty line that ends the previous event or comment.
            if line.isEmpty { continue }
            var event = Event()
            try note(line, in: &event)
            guard event.type.isEmpty, event.data.isEmpty else {
                throw TestFailure("an event came instead of a comment: \(line)")
            }
        }
    }

    private func nextLine() throws -> String? {
        while true {
            if let end = text.firstIndex(of: 0x0A) {
                defer { text.removeFirst(end + 1) }
                return String(decoding: text[..<end], as: UTF8.self)
            }
            var piece: [UInt8] = []
            guard left > 0,
                try connection.receiveBody(&decoder, into: &piece) || !piece.isEmpty
            else {
                connection.close()
                return nil
            }
            text += piece.prefix(left)
            left -= min(left, piece.count)
        }
    }
}
