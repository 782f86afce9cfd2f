import TestSupport

/// How clients connect to a server.
enum Wire: String, CaseIterable, Sendable {
    case plain, tls12, tls13

    var isSecure: Bool { self != .plain }

    var version: Int32 {
        switch self {
        case .plain: 0
        case .tls12: TestTLS.tls12
        case .tls13: TestTLS.tls13
        }
    }
}
