public import HTTP

/// Carries one request to an origin, and its answer back.
///
/// An engine ends every exchange exactly once and soon: with an answer, when the deadline comes,
/// or when its task is cancelled. It follows no redirects and keeps no copies.
public protocol Transport: Sendable {
    /// - Returns: an answer of any status, whole (`HTTPBody.bytes`), or of `isStreamed` options
    ///   with a body that streams and fails with a `TransportError`.
    func exchange(
        _ request: HTTPRequest, with origin: HTTPOrigin, options: TransportOptions
    ) async throws(TransportError) -> HTTPResponse

    /// Where exchanges end, if that is one place: what several wait for then runs there, so that
    /// no other thread has to be woken on the way. `nil`: anywhere.
    var executor: (any TaskExecutor)? { get }
}

extension Transport {
    public var executor: (any TaskExecutor)? { nil }
}

/// What one exchange may take.
public struct TransportOptions: Sendable {
    /// To the end of the answer; of a streamed one, to its head.
    public var timeout = Duration.seconds(60)
    /// How long the other side may stand still; `nil`: as long as it likes.
    public var stallTimeout: Duration? = .seconds(30)
    /// The longest body that is taken, in bytes.
    public var bodyBytes = 16 << 20
    /// Whether the body is given as it comes.
    public var isStreamed = false
    /// Told how many bytes of the request's body are on their way, of how many. Must not block.
    public var uploadProgress: (@Sendable (_ sent: Int, _ total: Int) -> Void)?

    public init() {}
}

/// Why an engine brought no answer.
public enum TransportError: Error, Sendable, Hashable {
    case cancelled
    case timedOut
    /// No connection came about; why, in words.
    case offline(String)
    case failed(TransportFailure)
}

/// What went wrong on the way.
public struct TransportFailure: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        /// The connection ended before the answer was whole.
        case disconnected
        /// TLS was not agreed on, the server's certificate is not to be trusted, or the system
        /// does not let the app send without TLS. It is not tried again.
        case insecure
        /// What came is no answer.
        case malformed
        /// The answer is longer than was allowed.
        case tooLarge
        /// The client cannot do what this would take.
        case unsupported
        /// Too much is under way already.
        case overloaded
        /// Redirects without an end, or to where none may lead.
        case redirected
        /// Credentials could not be kept, or would have gone where they must not.
        case credentials
    }

    public var kind: Kind
    /// What happened, in words.
    public var description: String

    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
