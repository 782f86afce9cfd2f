#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Callbacks of an app for its own session.
///
/// The session calls them on its own thread; they must not block.
public struct URLSessionHooks: Sendable {
    /// Answers a challenge; must be called exactly once.
    public typealias Decision =
        @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    /// Checks a server's certificate (pinning) or provides a client certificate. The decision
    /// `.cancelAuthenticationChallenge` ends the request with `TransportFailure.Kind.insecure`.
    /// `nil` leaves the decision to the system. On Linux, URLSession does not call this.
    public var challenge: (@Sendable (URLAuthenticationChallenge, @escaping Decision) -> Void)?
    /// Receives the timing of each step of a request. On Linux, URLSession does not call this.
    public var metrics: (@Sendable (URLSessionTaskMetrics) -> Void)?
    /// Called when a request waits for the network, if the configuration's `waitsForConnectivity`
    /// is set.
    public var waiting: (@Sendable () -> Void)?

    public init(
        challenge: (@Sendable (URLAuthenticationChallenge, @escaping Decision) -> Void)? = nil,
        metrics: (@Sendable (URLSessionTaskMetrics) -> Void)? = nil,
        waiting: (@Sendable () -> Void)? = nil
    ) {
        self.challenge = challenge
        self.metrics = metrics
        self.waiting = waiting
    }
}
