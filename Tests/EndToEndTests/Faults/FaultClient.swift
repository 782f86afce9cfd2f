import BroadsheetHTTP
import BroadsheetTestSupport

/// A client of a server under faults, in the version of HTTP that its wire has.
final class FaultClient {
    let connection: RawConnection
    /// `nil` with HTTP/1.1.
    let http2: TestHTTP2Client?

    static let page = "/v1/articles?limit=1&fields=id"
    static let head = "GET \(page) HTTP/1.1\r\nHost: localhost\r\n\r\n"
    static let article = #"{"title":"Bread","status":"published"}"#

    init(_ connection: RawConnection, _ wire: Wire) throws {
        self.connection = connection
        http2 = wire == .http2 ? try TestHTTP2Client(connection) : nil
    }

    func get(_ target: String = page) throws -> ReceivedResponse {
        if let http2 { return try http2.exchange(.get, target) }
        try connection.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return try connection.response()
    }

    /// Sends the request for an article's creation.
    ///
    /// - Parameter isChunked: Whether it is sent without the length of its body.
    /// - Returns: What waits for the response.
    func post(
        _ body: String = article, isChunked: Bool = false
    ) throws -> () throws -> ReceivedResponse {
        let fields = [
            ("Authorization", "Bearer \(RunningServer.adminKey)"),
            ("Content-Type", "application/json"),
            isChunked
                ? ("Transfer-Encoding", "chunked") : ("Content-Length", "\(body.utf8.count)"),
        ]
        if let http2 {
            var list = HTTPFields()
            for (name, value) in isChunked ? fields.dropLast() : fields[...] {
                if let name = HTTPFieldName(name) { list[name] = value }
            }
            let stream = try http2.send(.post, "/v1/articles", list, body: Array(body.utf8))
            return { try http2.response(on: stream) }
        }
        let size = String(body.utf8.count, radix: 16)
        try connection.send(
            "POST /v1/articles HTTP/1.1\r\nHost: localhost\r\n"
                + fields.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n"
                + (isChunked ? "\(size)\r\n\(body)\r\n0\r\n\r\n" : body))
        return { [connection] in try connection.response(to: .post) }
    }

    /// Several requests at once.
    func getTogether(_ count: Int) throws -> [ReceivedResponse] {
        if let http2 {
            let streams = try (0..<count).map { _ in try http2.send(.get, Self.page) }
            return try streams.map { try http2.response(on: $0) }
        }
        try connection.send(String(repeating: Self.head, count: count))
        return try (0..<count).map { _ in try connection.response() }
    }
}
