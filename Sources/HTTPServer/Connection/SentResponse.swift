import Glibc
import HTTP
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
        if isObserved { startNanoseconds = Self.clock(CLOCK_MONOTONIC) }
    }

    func record(peer: SocketAddress, requestID: String) -> ExchangeRecord {
        let duration = startNanoseconds == 0 ? 0 : Self.clock(CLOCK_MONOTONIC) - startNanoseconds
        return ExchangeRecord(
            method: request?.method, target: request?.target, template: template, status: status,
            sentBytes: bytes, receivedBytes: receivedBytes,
            microseconds: Int(duration / 1_000), peer: peer, requestID: requestID,
            traceID: traceID,
            finishedMilliseconds: Self.clock(CLOCK_REALTIME) / 1_000_000)
    }

    /// Milliseconds since 1970.
    static var wallMilliseconds: Int64 { clock(CLOCK_REALTIME) / 1_000_000 }

    private static func clock(_ id: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(id, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
