public import BroadsheetHTTP
import BroadsheetPlatform
public import BroadsheetSockets

/// The state of the current exchange that observers see.
struct SentResponse {
    /// `nil` if the bytes were not a valid request.
    var request: (method: HTTPMethod, target: RequestTarget)?
    var template: String?
    /// `nil` if the client is anonymous.
    var sender: RequestSender?
    var status = HTTPStatus.ok
    var bytes = 0
    /// The size of the request.
    var receivedBytes = 0
    var traceID: String?
    var isHead = false
    var version = HTTPVersion.http11
    /// The client's remaining allowance after this request, if it is limited.
    var allowance: RateLimitStatus?
    /// The index of the request's origin among the allowed ones.
    var origin: Int?
    private var startNanoseconds: Int64 = 0

    /// - Parameter isObserved: True if an observer needs the duration.
    init(_ isObserved: Bool = false) {
        if isObserved { startNanoseconds = SystemClock.monotonicNanoseconds }
    }

    func record(peer: SocketAddress, requestID: String) -> ExchangeRecord {
        let duration =
            startNanoseconds == 0 ? 0 : SystemClock.monotonicNanoseconds - startNanoseconds
        return ExchangeRecord(
            method: request?.method, target: request?.target, version: version, template: template,
            status: status,
            sentBytes: bytes, receivedBytes: receivedBytes,
            microseconds: Int(duration / 1_000), peer: peer, requestID: requestID,
            traceID: traceID, sender: sender,
            finishedMilliseconds: SystemClock.wallNanoseconds / 1_000_000)
    }
}

/// One request and its response, recorded when the response is sent or the connection has failed.
/// See ``ExchangeObserver``.
public struct ExchangeRecord: Sendable {
    /// `nil` if the bytes were not a valid request.
    public let method: HTTPMethod?
    public let target: RequestTarget?
    /// The version of HTTP that the client speaks; irrelevant without a request.
    public let version: HTTPVersion
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
    /// The sender; `nil` if the client is anonymous.
    public let sender: RequestSender?
    /// Milliseconds since 1970, at the end.
    public let finishedMilliseconds: Int64
}

/// The sender of a request for logs: the name of its credentials, and never the credentials
/// themselves.
///
/// Immutable, and safe to use from any thread. It is a class, so that the frames of requests have
/// one reference to it.
///
/// ```swift
/// let sender = RequestSender(key: "editors")
/// return .admitted({ _, _ in HTTPResponse(.noContent) }, sender: sender)
/// ```
public final class RequestSender: Sendable {
    /// The public id of the key.
    let key: String?
    /// The id of the user.
    let user: String?

    public init(key: String? = nil, user: String? = nil) {
        self.key = key
        self.user = user
    }
}

/// Observes exchanges, for logs and metrics.
///
/// It is called once for each response, on the connection's event loop, by several loops at once:
/// it must be quick. Responses to bytes that are not a valid request are also reported.
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

/// The trace that a request belongs to (W3C Trace Context, `traceparent`).
struct TraceContext: Sendable, Hashable {
    /// The ID of the whole trace: 32 hexadecimal digits in lower case.
    let traceID: String

    /// Parses `traceparent`; `nil` if it is missing, invalid or repeated, in which case the request
    /// is treated as if it had none (§3.2, §4.3).
    init?(_ fields: borrowing HTTPFields) {
        // Nearly all requests have none, which takes no generic call.
        guard fields.contains(.traceparent) else { return nil }
        let context = fields.withOnlyBytes(of: .traceparent) { TraceContext($0) }
        guard case .some(let found?) = context else { return nil }
        self = found
    }

    /// Parses `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. A later version may append
    /// more after another dash; version `ff` is invalid.
    init?(_ value: borrowing Span<UInt8>) {
        guard value.count >= Self.length else { return nil }
        for dash in [2, 35, 52] where value[dash] != UInt8(ascii: "-") { return nil }
        guard let version = Self.hexadecimal(value, 0..<2), version != "ff",
            let trace = Self.hexadecimal(value, 3..<35), trace.contains(where: { $0 != "0" }),
            let parent = Self.hexadecimal(value, 36..<52), parent.contains(where: { $0 != "0" }),
            Self.hexadecimal(value, 53..<55) != nil
        else { return nil }
        if value.count > Self.length {
            guard version != "00", value[Self.length] == UInt8(ascii: "-") else { return nil }
        }
        traceID = trace
    }

    /// The length of version 00, which is the prefix of every later version.
    private static let length = 55

    private static func hexadecimal(
        _ value: borrowing Span<UInt8>, _ range: Range<Int>
    ) -> String? {
        var text = ""
        for index in range {
            switch value[index] {
            case 0x30...0x39, 0x61...0x66:
                text.unicodeScalars.append(Unicode.Scalar(value[index]))
            default: return nil
            }
        }
        return text
    }
}
