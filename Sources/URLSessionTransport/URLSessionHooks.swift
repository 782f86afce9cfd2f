#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// What an app wants to decide or to know about a session of its own.
///
/// The session calls these on a thread of its own; they must not block.
public struct URLSessionHooks: Sendable {
    /// Ends a challenge; must be called exactly once.
    public typealias Decision =
        @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    /// Decides about a server's certificate, or brings a client's: for pinning. The decision
    /// `.cancelAuthenticationChallenge` ends the request with `TransportFailure.Kind.insecure`.
    /// `nil`: as the system decides. On Linux, URLSession asks nobody about certificates.
    public var challenge: (@Sendable (URLAuthenticationChallenge, @escaping Decision) -> Void)?
    /// Told how long each step of a request took. On Linux, URLSession measures nothing.
    public var metrics: (@Sendable (URLSessionTaskMetrics) -> Void)?
    /// Told that a request waits for the network, where the configuration's
    /// `waitsForConnectivity` says that it should.
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
