import BroadsheetHTTP
import BroadsheetHTTP2
import BroadsheetHTTPClient
import BroadsheetTestSupport

/// The server's end of an HTTP/2 connection in a script. It is used only by the script's task.
final class HTTP2Peer {
    let session: HTTP2Session
    private let peer: ScriptedPeer
    private var events: [HTTP2Event] = []

    init(_ peer: ScriptedPeer, streams: Int = 100) {
        var settings = HTTP2Settings()
        settings.streams = streams
        session = HTTP2Session(.server, settings)
        self.peer = peer
    }

    /// The next event; `nil` when the client has closed the connection.
    func event() async throws -> HTTP2Event? {
        while events.isEmpty {
            try await flush()
            let bytes = try await peer.bytes()
            guard !bytes.isEmpty else { return nil }
            try bytes.withUnsafeBytes { try session.receive($0, now: 0) }
            events = session.takeEvents()
        }
        return events.removeFirst()
    }

    /// The next request's head, whose body is ignored; `nil` when the client has closed the
    /// connection.
    func request() async throws -> (stream: Int32, head: RequestHead)? {
        while let event = try await event() {
            if case .request(let stream, let head, _, _) = event { return (stream, head) }
        }
        return nil
    }

    /// Waits until the stream has ended, and returns why.
    func end(of stream: Int32) async throws -> HTTP2ErrorCode? {
        while let event = try await event() {
            if case .closed(stream, let code) = event { return code }
        }
        return nil
    }

    func waitForEnd() async { while (try? await event()) != nil {} }

    /// Ends the connection so that the client receives all that was sent.
    func finish() async { await peer.finish() }

    /// Responds with the text and the fields.
    ///
    /// - Parameter isLast: Whether the body ends with the text.
    @discardableResult
    func respond(
        on stream: Int32, status: String = "200", _ text: String = "", _ fields: HTTPFields = [:],
        isLast: Bool = true
    ) async throws -> HTTP2Body {
        var all = HTTP2Fields()
        all.append(":status", status)
        all.append(contentsOf: fields)
        let body = HTTP2Body(Array(text.utf8), isLast: isLast)
        session.respond(on: stream, [all], body)
        try await flush()
        return body
    }

    /// Sends an interim response.
    func inform(on stream: Int32, status: String) async throws {
        var fields = HTTP2Fields()
        fields.append(":status", status)
        session.inform(on: stream, fields)
        try await flush()
    }

    func reset(_ stream: Int32, _ code: HTTP2ErrorCode) async throws {
        session.reset(stream, code)
        try await flush()
    }

    /// Accepts no further streams: those that were not reported yet are lost.
    func goAway() async throws {
        session.end()
        try await flush()
    }

    /// Sends bytes that may be invalid.
    func send(_ bytes: [UInt8]) async throws {
        try await flush()
        try await peer.send(bytes)
    }

    /// Sends what the session has to send.
    func flush() async throws {
        var output: [UInt8] = []
        try session.write(to: &output, upTo: 64 << 20)
        if !output.isEmpty { try await peer.send(output) }
    }
}

extension HTTPClient {
    /// A client that knows that its origins speak HTTP/2.
    static func cleartextHTTP2(
        _ change: (inout HTTPClientConfiguration) -> Void = { _ in }
    ) throws -> HTTPClient {
        var configuration = HTTPClientConfiguration()
        configuration.usesCleartextHTTP2 = true
        change(&configuration)
        return try HTTPClient(configuration)
    }
}

/// As `patient`, with a streamed body.
let patientStream = {
    var options = patient
    options.isStreamed = true
    return options
}()

/// Performs requests with these paths at the same time; returns their bodies in order, or the
/// descriptions of their errors.
func texts(
    _ paths: [String], _ method: HTTPMethod = .get, of client: HTTPClient, _ origin: HTTPOrigin,
    _ options: ExchangeOptions = patient
) async throws -> [String?] {
    let requests = try paths.map { try request($0, method) }
    return await withTaskGroup(of: (Int, String?).self) { group in
        for (number, request) in requests.enumerated() {
            group.addTask {
                do throws(HTTPClientError) {
                    return (
                        number, try await client.send(request, to: origin, options: options).text
                    )
                } catch { return (number, "\(error)") }
            }
        }
        var texts = [String?](repeating: nil, count: requests.count)
        for await (number, text) in group { texts[number] = text }
        return texts
    }
}
