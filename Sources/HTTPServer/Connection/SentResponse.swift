import HTTP
import Platform
import Sockets

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
