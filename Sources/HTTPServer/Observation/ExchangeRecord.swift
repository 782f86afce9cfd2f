public import HTTP
import Platform
public import Sockets

/// The state of the current exchange that observers see.
struct SentResponse {
    /// `nil` if the bytes were not a valid request.
    var request: (method: HTTPMethod, target: RequestTarget)?
    var template: String?
    var status = HTTPStatus.ok
    var bytes = 0
    /// The size of the request.
    var receivedBytes = 0
    var traceID: String?
    var isHead = false
    var version = HTTPVersion.http11
    /// What the client may still send after this request, if it is limited.
    var allowance: RateLimitStatus?
    /// The index of the request's origin among the allowed ones.
    var origin: Int?
    private var startNanoseconds: Int64 = 0

    /// - Parameter isObserved: Whether an observer needs the duration.
    init(_ isObserved: Bool = false) {
        if isObserved { startNanoseconds = SystemClock.monotonicNanoseconds }
    }

    func record(peer: SocketAddress, requestID: String) -> ExchangeRecord {
        let duration =
            startNanoseconds == 0 ? 0 : SystemClock.monotonicNanoseconds - startNanoseconds
        return ExchangeRecord(
            method: request?.method, target: request?.target, template: template, status: status,
            sentBytes: bytes, receivedBytes: receivedBytes,
            microseconds: Int(duration / 1_000), peer: peer, requestID: requestID,
            traceID: traceID,
            finishedMilliseconds: SystemClock.wallNanoseconds / 1_000_000)
    }
}

/// One request and its response, recorded when the response is sent or the connection has failed. A
/// value; use it anywhere. See ``ExchangeObserver``.
public struct ExchangeRecord: Sendable {
    /// `nil` if the bytes were not a valid request.
    public let method: HTTPMethod?
    public let target: RequestTarget?
    /// The template of the matching route, if any.
    public let template: String?
    public let status: HTTPStatus
    /// The bytes of head and body that were sent.
    public let sentBytes: Int
    /// The bytes of head and body that were read; 0 if they were not a valid request.
    public let receivedBytes: Int
    public let microseconds: Int
    public let peer: SocketAddress
    public let requestID: String
    /// The trace that the request belongs to, if it names one (W3C Trace Context).
    public let traceID: String?
    /// Milliseconds since 1970, at the end.
    public let finishedMilliseconds: Int64
}

/// Observes exchanges, for logs and metrics.
///
/// It is called once for each response, on the connection's event loop, by several loops at once:
/// it must be quick. Responses to bytes that are no valid request are reported as well.
///
/// ```swift
/// final class FailureCounter: ExchangeObserver {
///     let count = Atomic(0)
///
///     func finished(_ exchange: borrowing ExchangeRecord) {
///         if exchange.status.code >= 500 { count.add(1, ordering: .relaxed) }
///     }
/// }
/// ```
public protocol ExchangeObserver: Sendable {
    func finished(_ exchange: borrowing ExchangeRecord)
}
