import BroadsheetHTTPServer
import BroadsheetTestSupport

extension ServerConfiguration {
    /// A local server that also speaks HTTP/2 without TLS.
    static func cleartextHTTP2(
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) -> ServerConfiguration {
        .local {
            $0.takesCleartextHTTP2 = true
            change(&$0)
        }
    }
}
