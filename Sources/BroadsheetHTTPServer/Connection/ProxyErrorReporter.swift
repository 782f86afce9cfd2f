import BroadsheetSockets

/// Tells the operator why connections to a listener for proxies are closed: the proxy itself only
/// sees that its checks fail.
final class ProxyErrorReporter: Sendable {
    private let address: SocketAddress
    private let report: @Sendable (String) -> Void
    private let limit = ReportThrottle<ProxyHeader.Mismatch?>()

    init(at address: SocketAddress, _ report: @escaping @Sendable (String) -> Void) {
        self.address = address
        self.report = report
    }

    /// A proxy did not send a header. Checks that send nothing are no mistake.
    func note(_ mismatch: ProxyHeader.Mismatch, from proxy: SocketAddress, at now: Int64) {
        guard mismatch != .nothing, limit.isDue(mismatch, at: now) else { return }
        report(
            "\(address): connections of the proxy \(proxy.host) are closed: it sends "
                + "\(mismatch); configure it to send PROXY protocol version 2 (haproxy: "
                + "send-proxy-v2; AWS: "
                + "proxy_protocol_v2.enabled of the target group) or to connect to an address "
                + "without this header")
    }

    /// A peer is not trusted, so nothing was read. It may be anyone, and come for ever.
    func noteUntrusted(_ peer: SocketAddress, at now: Int64) {
        guard limit.isDue(nil, at: now, every: 3_600_000) else { return }
        report(
            "\(address): connections of \(peer.host) are closed: it is not a trusted proxy, and "
                + "only those may connect here")
    }
}
