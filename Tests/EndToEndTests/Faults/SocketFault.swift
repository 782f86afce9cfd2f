import BroadsheetTestSupport
import Testing

/// The behaviour of large numbers of bad clients, and the responses that each of them should
/// receive.
struct SocketFault: Sendable, CustomTestStringConvertible {
    enum Then: Sendable {
        case nothing
        /// It sends a byte from time to time.
        case drip
        /// It stops sending, but continues to read.
        case end
        case reset
    }

    enum Due: Sendable {
        /// A response with this status, then the end of the connection.
        case response(Int)
        /// The end of the connection, without a response.
        case end
        /// The end of the connection, with as much of the responses as was read.
        case anything
    }

    let name: String
    /// The bytes to start with; without any, there is not even a handshake.
    var first: String?
    var then = Then.nothing
    var due = Due.end

    var testDescription: String { name }

    private static let post =
        "POST /v1/articles HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Authorization: Bearer \(RunningServer.adminKey)\r\n"
    static let page =
        "GET /v1/articles?limit=100&fields=id,body HTTP/1.1\r\nHost: localhost\r\n\r\n"

    static let all = [
        SocketFault(
            name: "a head that never ends",
            first: "GET /v1/articles HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", then: .drip,
            due: .response(408)),
        SocketFault(
            name: "a body that never ends", first: "\(post)Content-Length: 1000000\r\n\r\n[",
            then: .drip, due: .response(408)),
        SocketFault(
            name: "chunks that never end",
            first: "\(post)Transfer-Encoding: chunked\r\n\r\nfffff\r\n[", then: .drip,
            due: .response(408)),
        SocketFault(name: "silence from the beginning", first: nil),
        SocketFault(name: "silence where a request should be", first: ""),
        SocketFault(
            name: "silence after a response", first: FaultClient.head, due: .response(200)),
        SocketFault(name: "the end in a head", first: "GET /v1/articles HTT", then: .end),
        SocketFault(
            name: "the end in a body", first: "\(post)Content-Length: 9\r\n\r\n{", then: .end),
        SocketFault(
            name: "the end after a request", first: FaultClient.head, then: .end,
            due: .response(200)),
        SocketFault(name: "a reset in a head", first: "GET /v1/articles HTT", then: .reset),
        SocketFault(
            name: "a reset in a body", first: "\(post)Content-Length: 9\r\n\r\n{", then: .reset),
        SocketFault(name: "a reset behind a request", first: page, then: .reset),
        SocketFault(
            name: "what is no HTTP", first: "\u{16}\u{3}\u{1} is no HTTP\r\n\r\n",
            due: .response(400)),
        SocketFault(
            name: "much is asked for, and nothing read",
            first: String(repeating: page, count: 20), due: .anything),
    ]
}
