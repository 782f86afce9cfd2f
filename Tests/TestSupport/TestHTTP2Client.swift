public import BroadsheetHTTP
import BroadsheetHTTP2

/// A valid client of HTTP/2 on a connection that is used by one test. Calls block, with a timeout.
public final class TestHTTP2Client {
    public let connection: RawConnection
    private let session: HTTP2Session
    private var responses: [Int32: Response] = [:]
    /// The last stream that the server will process, once it has said so.
    public private(set) var lastStream: Int32?
    /// The heads of interim responses.
    public private(set) var interim: [ResponseHead] = []

    private struct Response {
        var head: ResponseHead?
        var body: [UInt8] = []
        var isWhole = false
        /// The code of the error that ended the stream.
        var failure: UInt32?
    }

    /// - Parameter window: The number of bytes of a body that are taken before they are read.
    public init(_ connection: RawConnection, window: Int = 1 << 20) throws {
        self.connection = connection
        var settings = HTTP2Settings()
        settings.streamWindowBytes = window
        session = HTTP2Session(.client, settings)
        try flush()
    }

    /// Sends a request; returns its stream.
    ///
    /// - Parameter isWhole: True if nothing follows the body.
    public func send(
        _ method: HTTPMethod, _ path: String, _ fields: HTTPFields = [:], body: [UInt8] = [],
        isWhole: Bool = true
    ) throws -> Int32 {
        var all = HTTP2Fields()
        all.append(":method", method.rawValue)
        all.append(":scheme", "http")
        all.append(":authority", "localhost")
        all.append(":path", path)
        all.append(contentsOf: fields)
        let hasBody = !body.isEmpty || !isWhole
        let stream = session.request(
            [all], hasBody ? HTTP2Body(body, isLast: isWhole) : nil)
        guard let stream else { throw TestFailure("the server takes no further requests") }
        responses[stream] = Response()
        try flush()
        return stream
    }

    /// Sends a request and waits for the response.
    public func exchange(
        _ method: HTTPMethod = .get, _ path: String, _ fields: HTTPFields = [:],
        body: [UInt8] = []
    ) throws -> ReceivedResponse {
        try response(on: send(method, path, fields, body: body))
    }

    /// The response on a stream, complete.
    public func response(on stream: Int32) throws -> ReceivedResponse {
        while responses[stream]?.isWhole == false {
            if let code = responses[stream]?.failure {
                throw TestFailure("the stream was reset with code \(code)")
            }
            try advance()
        }
        guard let response = responses[stream], let head = response.head else {
            throw TestFailure("no response")
        }
        return ReceivedResponse(head: head, body: response.body)
    }

    /// Returns the bytes of the body on a stream that have arrived, at least `count`.
    public func body(on stream: Int32, atLeast count: Int) throws -> [UInt8] {
        while responses[stream]?.body.count ?? 0 < count { try advance() }
        return responses[stream]?.body ?? []
    }

    /// The code with which the stream is reset.
    public func failure(on stream: Int32) throws -> UInt32 {
        while true {
            if let code = responses[stream]?.failure { return code }
            try advance()
        }
    }

    public func reset(_ stream: Int32) throws {
        session.reset(stream, .cancel)
        try flush()
    }

    /// Waits until something has been received and processed.
    public func advance() throws {
        let bytes = try connection.receive(limit: 1 << 20)
        guard !bytes.isEmpty else { throw TestFailure("the connection has ended") }
        try bytes.withUnsafeBytes { try session.receive($0, now: 0) }
        for event in session.takeEvents() { note(event) }
        try flush()
    }

    private func note(_ event: HTTP2Event) {
        switch event {
        case .response(let stream, let head, let isLast):
            if head.status.code < 200 { return interim.append(head) }
            responses[stream]?.head = head
            if isLast { responses[stream]?.isWhole = true }
        case .data(let stream, let bytes):
            responses[stream]?.body += bytes
            session.consumed(bytes.count, on: stream)
        case .received(let stream): responses[stream]?.isWhole = true
        case .closed(let stream, let code):
            if code != .none { responses[stream]?.failure = code.rawValue }
        case .goAway(let last, _): lastStream = last
        default: break
        }
    }

    private func flush() throws {
        var output: [UInt8] = []
        try session.write(to: &output, upTo: 1 << 24)
        if !output.isEmpty { try connection.send(output) }
    }
}
