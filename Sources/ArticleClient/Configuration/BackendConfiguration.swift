import ArticleAPI
public import BroadsheetHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The base URL of a backend, and timeouts, limits and headers for its requests.
///
/// Changes have no effect on services that were made with it before. `shared` may be read and set
/// on any thread.
///
/// ```swift
/// var configuration = BackendConfiguration(baseURL: "https://articles.example.org/api")
/// configuration.timeout = .seconds(20)
/// configuration.headers[.userAgent] = "reader/1.0"
/// ```
public struct BackendConfiguration: Sendable {
    public var baseURL: BaseURL
    /// The time limit of a request, including retries, redirects and renewed credentials.
    public var timeout = Duration.seconds(60)
    /// The maximum time without bytes from the backend during an exchange.
    public var stallTimeout = Duration.seconds(30)
    /// The maximum size of a response that is not streamed, in bytes.
    public var bodyBytes = 16 << 20
    public var retries = RetryPolicy()
    /// Added to every request.
    public var headers: HTTPFields = [.userAgent: "broadsheet-swift"]
    /// The maximum number of successive redirects.
    public var redirects = 5
    /// True if tokens may be sent to other machines without TLS.
    public var sendsTokensInTheClear = false
    /// The types of problems (RFC 9457) by which the backend rejects requests, by default those of
    /// the contract. Other unsuccessful responses are not the backend's
    /// (`TransportFailure.Kind.foreign`). Add those of one's own server; `nil` accepts every
    /// response, for an API without problem documents.
    public var problemTypes: Set<String>? = knownProblemTypes

    private static let knownProblemTypes = Set(Problem.Kind.allCases.map(\.type))

    public init(baseURL: BaseURL) { self.baseURL = baseURL }

    /// The configuration of apps that have only one: set it at launch, before a service is made
    /// with it. To read it before traps, as a programmer error.
    public static var shared: BackendConfiguration {
        get {
            guard let configuration = current.withLock({ $0 }) else {
                preconditionFailure("programmer error: set BackendConfiguration.shared at launch")
            }
            return configuration
        }
        set { current.withLock { $0 = newValue } }
    }

    private static let current = Locked<BackendConfiguration?>(nil)
}

/// The address of a backend: an origin and a prefix for all paths.
///
/// A literal that is not a base URL traps, as a programmer error; text from elsewhere is parsed
/// with `init(_:)`, which fails instead.
///
/// ```swift
/// let fixed: BaseURL = "https://example.org/api/"
/// let entered = BaseURL(text)
/// ```
public struct BaseURL: Sendable, Hashable, CustomStringConvertible {
    public let origin: HTTPOrigin
    /// The prefix without a trailing slash, such as `/api`; usually empty.
    public let path: String

    /// `http://localhost:8080`, `https://example.com/api`, `unix:/run/broadsheet.control`; `nil`
    /// for anything else.
    public init?(_ text: String) {
        if text.hasPrefix("unix:") {
            guard let origin = HTTPOrigin(text) else { return nil }
            self.origin = origin
            path = ""
            return
        }
        guard let url = try? HTTPURL(text), url.target.query == nil else { return nil }
        origin = url.origin
        var path = url.target.path
        while path.last == UInt8(ascii: "/") { path.removeLast() }
        self.path = String(decoding: path, as: UTF8.self)
    }

    public init(_ origin: HTTPOrigin) {
        self.origin = origin
        path = ""
    }

    public var description: String { "\(origin)\(path)" }

    /// A request's target with this prefix.
    func target(_ target: RequestTarget) -> RequestTarget {
        guard !path.isEmpty else { return target }
        return RequestTarget(Array(path.utf8) + target.bytes) ?? target
    }
}

extension BaseURL: ExpressibleByStringLiteral {
    /// A base URL that is a literal in the program.
    public init(stringLiteral text: String) {
        guard let url = BaseURL(text) else {
            preconditionFailure("programmer error: \(text) is not a base URL of a backend")
        }
        self = url
    }
}

/// The clocks and random numbers that the SDK uses, which tests can replace.
///
/// The closures are called on any thread.
///
/// ```swift
/// var environment = ClientEnvironment.system
/// environment.sleep = { delay in delays.withLock { $0.append(delay) } }
/// environment.random = { bound in bound }
/// ```
public struct ClientEnvironment: Sendable {
    /// Monotonic time, from any starting point. Timeouts are measured by it: while it stands still,
    /// no request times out.
    public var now: @Sendable () -> Duration
    /// Seconds since 1970.
    public var wallSeconds: @Sendable () -> Int64
    /// Waits; ends early with an error when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// A number from 0 to the given one.
    public var random: @Sendable (Int64) -> Int64

    public init(
        now: @escaping @Sendable () -> Duration,
        wallSeconds: @escaping @Sendable () -> Int64,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        random: @escaping @Sendable (Int64) -> Int64
    ) {
        self.now = now
        self.wallSeconds = wallSeconds
        self.sleep = sleep
        self.random = random
    }

    /// The system's clock and random numbers.
    public static let system = ClientEnvironment(
        now: { SystemTime.now },
        wallSeconds: { Int64(Date().timeIntervalSince1970) },
        sleep: { try await Task.sleep(for: $0) },
        random: { Int64.random(in: 0...max(0, $0)) })

    /// Waits until a timeout has passed by `now`. If `now` is not the system's clock, it is read
    /// again each time that the timeout has passed by the system's.
    func wait(for timeout: Duration) async throws {
        let deadline = now() + min(timeout, Self.limitWait)
        while case let left = deadline - now(), left > .zero { try await Task.sleep(for: left) }
    }

    /// 136 years: sums with it cannot overflow.
    static let limitWait = Duration.seconds(1 << 32)
}

/// The continuous clock, read as the time since it was first read. Unlike an instant of the clock,
/// a duration has a layout that the compiler knows, so that copying one needs no calls.
enum SystemTime {
    static let start = ContinuousClock.now
    static var now: Duration { ContinuousClock.now - start }
}
