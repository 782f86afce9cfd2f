import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

/// The behaviour of large numbers of bad clients over HTTP/2, and the responses that each of them
/// should receive.
struct HTTP2Fault: Sendable, CustomTestStringConvertible {
    /// The fault's beginning.
    enum Start: Sendable {
        /// These bytes, in place of the connection preface.
        case bytes([UInt8])
        /// The connection preface, then these bytes.
        case frames([UInt8])
        /// A request, of whose response nothing is read.
        case get
        /// A request with the beginning of its body, then these bytes.
        case post([UInt8])
        /// Requests for pages, as many as a connection may have.
        case pages
    }

    enum Due: Sendable {
        /// A response with this status on the stream of `get` or `post`.
        case response(Int)
        /// The end of the connection, which is announced (GOAWAY) with this code.
        case goAway(UInt32)
        /// The end of the connection, after whatever there was to read.
        case end
    }

    let name: String
    let start: Start
    var then = SocketFault.Then.nothing
    var due = Due.end

    var testDescription: String { name }

    private static let long = 16_000

    static let all = [
        HTTP2Fault(
            name: "a head that never ends",
            start: .frames(TestFrame.bytes(1, flags: 5, stream: 1, [0], length: long)),
            then: .drip, due: .goAway(11)),
        HTTP2Fault(
            name: "a continuation that never ends",
            start: .frames(
                TestFrame.bytes(1, flags: 1, stream: 1, TestFrame.block())
                    + TestFrame.bytes(9, stream: 1, [0], length: long)),
            then: .drip, due: .goAway(11)),
        HTTP2Fault(
            name: "a body that never ends",
            start: .post(TestFrame.bytes(0, stream: 1, length: long)), then: .drip,
            due: .response(408)),
        HTTP2Fault(name: "silence in a body", start: .post([]), due: .response(408)),
        HTTP2Fault(
            name: "a ping that never ends", start: .frames(TestFrame.bytes(6, [0], length: 8)),
            due: .goAway(0)),
        HTTP2Fault(name: "silence where the preface should be", start: .bytes([])),
        HTTP2Fault(name: "silence where a request should be", start: .frames([]), due: .goAway(0)),
        HTTP2Fault(name: "silence after a response", start: .get, due: .response(200)),
        HTTP2Fault(
            name: "the end in the head of a frame", start: .frames([0, 0, 9]), then: .end),
        HTTP2Fault(name: "the end in a body", start: .post([]), then: .end),
        HTTP2Fault(name: "the end after a request", start: .get, then: .end),
        HTTP2Fault(
            name: "a reset in a head",
            start: .frames(TestFrame.bytes(1, flags: 5, stream: 1, [0], length: long)),
            then: .reset),
        HTTP2Fault(name: "a reset in a body", start: .post([]), then: .reset),
        HTTP2Fault(name: "a reset behind requests", start: .pages, then: .reset),
        HTTP2Fault(
            name: "something other than HTTP/2",
            start: .bytes(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))),
        HTTP2Fault(name: "pages are requested and never read", start: .pages),
    ]
}
