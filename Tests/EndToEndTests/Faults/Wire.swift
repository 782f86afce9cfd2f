import BroadsheetTestSupport

/// The way in which clients connect to a server.
enum Wire: String, CaseIterable, Sendable {
    case plain, tls12, tls13
    /// HTTP/2 over TLS; all others are HTTP/1.1.
    case http2

    var isSecure: Bool { self != .plain }

    var version: Int32 {
        switch self {
        case .plain: 0
        case .tls12: TestTLS.tls12
        case .tls13, .http2: TestTLS.tls13
        }
    }

    static let http1: [Wire] = [.plain, .tls12, .tls13]
}
