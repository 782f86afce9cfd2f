/// The reason why a channel cannot continue.
public enum ChannelError: Error, Sendable, Hashable {
    /// The deadline expired.
    case timedOut
    /// The server is stopping, or the channel was closed.
    case cancelled
    /// The peer disconnected (`ECONNRESET`, `EPIPE`, …).
    case disconnected(code: Int32)
    /// The TLS handshake or session failed.
    case insecure(TLSFailure)
}
