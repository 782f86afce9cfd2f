import BroadsheetHTTP
import BroadsheetSockets

/// The carrier of one exchange: an HTTP/1 connection, or a stream of an HTTP/2 connection. It is
/// used on the connection's loop.
protocol ExchangeTransport: AnyObject {
    /// Starts work that has to be finished by the deadline, in monotonic milliseconds.
    func beginWork(until deadline: Int64)
    func endWork()
    /// Names the carrier for other threads.
    var place: any ExchangeReference { get }
}

extension SocketChannel: ExchangeTransport {
    var place: any ExchangeReference { reference }
}

extension ChannelReference: ExchangeReference {
    func abort(
        afterMilliseconds delay: Int64, ifWanted isWanted: @escaping @Sendable () -> Bool
    ) {
        schedule(afterMilliseconds: delay) { channel in
            if isWanted() { channel.abortByReset(.cancelled) }
        }
    }
}

/// The reason why a request's body cannot be read.
enum BodyFailure: Error {
    case rejected(HTTPStatus, String)
    /// The client disconnected before the end of the body.
    case ended
    case channel(ChannelError)

    static var handedOver: BodyFailure {
        .rejected(HTTPError.handedOver.status, HTTPError.handedOver.detail)
    }
}

/// A body that has arrived.
struct WholeBody {
    let bytes: [UInt8]
    /// True if it arrived after its head, so that access may have been revoked in between.
    let isLate: Bool
}

/// The source of a request's body, however it is framed.
protocol BodySource: AnyObject {
    var exchange: Exchange { get }
    /// True if bytes of the body have arrived that are not decoded yet.
    var hasBodyBytes: Bool { get }
    /// Tells the client that its body is wanted (RFC 9110 §10.1.1).
    func sendContinue() async throws(BodyFailure)
    /// Decodes the bytes that have arrived.
    func decode(
        _ decoder: inout BodyDecoder, into body: inout [UInt8]
    ) throws(BodyFailure)
    /// Waits for bytes; false if no more will come although the body is not complete.
    ///
    /// - Parameter deadline: Evaluated for each wait, since a hand-off shortens it.
    func more(until deadline: @autoclosure () -> Int64) async throws(BodyFailure) -> Bool
    /// The handler's time begins, or goes on after it waited for the client.
    func beginHandling()
    /// The handler has left the body while another task still reads it.
    func abandonBody()
}

extension BodySource {
    /// Reads the whole body, which takes room from other bodies while it is held.
    func wholeBody(
        _ head: borrowing RequestHead, _ route: HTTPRouteBody
    ) async throws(BodyFailure) -> WholeBody {
        let limits = exchange.listener.limits
        var decoder = try limits.bodyDecoder(head.framing, of: route)
        var isLate = false
        var body: [UInt8] = []
        if case .length(let length) = head.framing {
            body.reserveCapacity(min(length, ServerLimits.reservedBodyBytes))
        }
        if head.expectsContinue, !hasBodyBytes { try await sendContinue() }
        let start = exchange.channel.loop.now
        // Invariant: `body` has consumed as many of the received bytes as it could.
        while true {
            try decode(&decoder, into: &body)
            guard exchange.hold(body.count) else {
                throw .rejected(
                    .serviceUnavailable, "Too many request bodies are in progress.")
            }
            if decoder.isComplete { return WholeBody(bytes: body, isLate: isLate) }
            isLate = true
            let deadline = limits.bodyDeadline(since: start, received: body.count)
            guard try await more(until: deadline) else { throw .ended }
        }
    }
}

extension ServerLimits {
    /// The maximum bytes reserved for a body before any of it has arrived.
    fileprivate static let reservedBodyBytes = 64 << 10

    /// - Parameter route: The route's treatment of bodies, which may include a limit.
    func bodyDecoder(
        _ framing: BodyFraming, of route: HTTPRouteBody = .whole()
    ) throws(BodyFailure) -> BodyDecoder {
        var message = message
        switch route {
        case .spooled(let limitBytes): message.bodyBytes = limitBytes
        case .whole(let limitBytes?): message.bodyBytes = min(message.bodyBytes, limitBytes)
        case .rejected, .whole, .streamed: break
        }
        do throws(HTTPParseError) {
            return try BodyDecoder(framing, limits: message)
        } catch { throw BodyFailure(error) }
    }
}

extension BodyFailure {
    init(_ error: HTTPParseError) {
        self = .rejected(error.status, "The request has \(error.detail).")
    }
}
