/// The rate of requests that one client may send: a burst of so many, and then as many in each
/// period (a token bucket that refills evenly).
public struct RateLimit: Sendable, Hashable {
    public let requests: Int
    public let seconds: Int

    /// - Returns: `nil` unless there are 1 to 1,000,000,000 requests in 1 to 86,400 seconds.
    public init?(requests: Int, seconds: Int) {
        guard (1...1_000_000_000).contains(requests), (1...86_400).contains(seconds) else {
            return nil
        }
        self.requests = requests
        self.seconds = seconds
    }

    /// `12000/60`: requests and seconds.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let requests = Int(parts[0]), let seconds = Int(parts[1]) else {
            return nil
        }
        self.init(requests: requests, seconds: seconds)
    }
}
