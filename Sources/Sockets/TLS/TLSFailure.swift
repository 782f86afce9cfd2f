import COpenSSL

/// Why a TLS connection was not established or broke.
public enum TLSFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The peer closed the connection without a close_notify alert (RFC 8446 §6.1): data may be
    /// missing.
    case truncated
    /// The peer sent a plain HTTP request; the response can be sent without TLS.
    case plainHTTP
    /// The peer's certificate is not trusted (`X509_V_ERR_…`).
    case untrusted(code: Int, reason: String)
    /// The peer violated the protocol, offered nothing acceptable, or sent an alert.
    case refused(reason: String)

    public var description: String {
        switch self {
        case .truncated: "the connection closed without a TLS close_notify alert"
        case .plainHTTP: "the peer sent plain HTTP instead of TLS"
        case .untrusted(_, let reason): "the certificate is not trusted: \(reason)"
        case .refused(let reason): "TLS failed: \(reason)"
        }
    }

    /// OpenSSL's error for the call that just failed on this thread (`ERR_get_error`): the one
    /// place where its queue becomes an error.
    static func last() -> TLSFailure {
        let code = ERR_peek_error()
        defer { ERR_clear_error() }
        if ERR_GET_LIB(code) == ERR_LIB_SSL, ERR_GET_REASON(code) == SSL_R_HTTP_REQUEST {
            return .plainHTTP
        }
        return .refused(reason: reason(of: code))
    }

    /// The readable reason of the call that just failed.
    static func lastReason() -> String {
        defer { ERR_clear_error() }
        return reason(of: ERR_peek_error())
    }

    private static func reason(of code: UInt) -> String {
        guard code != 0 else { return "OpenSSL gave no reason" }
        if let text = ERR_reason_error_string(code) { return String(cString: text) }
        return "error \(code)"
    }
}
