import CBroadsheetOpenSSL

/// The configuration of sessions (`SSL_CTX`): versions, ciphers, certificates. It is read-only
/// after its initialisation.
final class TLSContext: Sendable {
    // After initialisation OpenSSL counts its references and locks internally (openssl-threads(7)).
    private nonisolated(unsafe) let raw: OpaquePointer

    /// - Throws: OpenSSL's description of the error.
    init(_ method: OpaquePointer?, profile: TLSProfile) throws(TLSContextError) {
        ERR_clear_error()
        guard let raw = SSL_CTX_new(method) else { throw TLSContextError() }
        self.raw = raw
        broadsheet_ssl_set_options(raw)
        // 112 bits: RSA from 2,048 bits on, SHA-2 (SSL_CTX_set_security_level(3)).
        SSL_CTX_set_security_level(raw, 2)
        let modes =
            SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
            | SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY | SSL_MODE_NO_AUTO_CHAIN
        _ = SSL_CTX_ctrl(raw, SSL_CTRL_MODE, Int(modes), nil)
        _ = SSL_CTX_ctrl(raw, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        let lowest = profile == .modern ? TLS1_3_VERSION : TLS1_2_VERSION
        guard SSL_CTX_ctrl(raw, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(lowest), nil) == 1,
            SSL_CTX_set_cipher_list(raw, profile.ciphers) == 1,
            SSL_CTX_set_ciphersuites(raw, TLSProfile.suites) == 1,
            set(SSL_CTRL_SET_GROUPS_LIST, TLSProfile.groups)
        else { throw TLSContextError() }
    }

    deinit { SSL_CTX_free(raw) }

    /// A session of this context, which uses the loop's record buffers.
    func makeSession(
        _ wires: TLSRecordBuffers, of server: TLSServer.Material? = nil
    ) throws(TLSFailure) -> TLSSession {
        ERR_clear_error()
        guard let ssl = SSL_new(raw) else { throw .last() }
        return TLSSession(ssl, wires, server)
    }

    /// Makes a session continue with this context's certificates.
    func take(over ssl: OpaquePointer) { SSL_set_SSL_CTX(ssl, raw) }

    /// Makes the settings that are required before the first session.
    func configure(
        _ body: (OpaquePointer) -> Bool
    ) throws(TLSContextError) {
        ERR_clear_error()
        guard body(raw) else { throw TLSContextError() }
    }

    private func set(_ command: Int32, _ text: String) -> Bool {
        var text = Array(text.utf8CString)
        return SSL_CTX_ctrl(raw, command, 0, &text) == 1
    }
}

/// OpenSSL's description of why a context could not be created.
struct TLSContextError: Error {
    let reason: String

    init() { reason = TLSFailure.lastReason() }
}

/// The TLS versions and cipher suites that a server accepts, by Mozilla's guideline 5.7.
public enum TLSProfile: String, Sendable, Hashable, CaseIterable {
    /// TLS 1.2 and 1.3: nearly every client of the last ten years.
    case intermediate
    /// Only TLS 1.3.
    case modern

    /// OpenSSL's names of the TLS 1.2 cipher suites; the client's order is preferred.
    var ciphers: String {
        """
        ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:\
        ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305:\
        DHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES256-GCM-SHA384:DHE-RSA-CHACHA20-POLY1305
        """
    }

    /// The TLS 1.3 cipher suites.
    static let suites =
        "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"

    static let groups = "X25519:P-256:P-384"
}

/// The reason why a TLS connection was not established or broke.
public enum TLSFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The peer closed the connection without a close_notify alert (RFC 8446 §6.1): data may be
    /// missing.
    case truncated
    /// The peer sent a plain HTTP request; the response can be sent without TLS.
    case plainHTTP
    /// The peer's certificate is not trusted (`X509_V_ERR_…`).
    case untrusted(code: Int, reason: String)
    /// Client and server have no application protocol in common (RFC 7301 §3.2).
    case noCommonProtocol
    /// The peer violated the protocol, offered nothing acceptable, or sent an alert.
    case rejected(reason: String)

    public var description: String {
        switch self {
        case .truncated: "the connection closed without a TLS close_notify alert"
        case .plainHTTP: "the peer sent plain HTTP instead of TLS"
        case .untrusted(_, let reason): "the certificate is not trusted: \(reason)"
        case .noCommonProtocol: "client and server have no application protocol in common"
        case .rejected(let reason): "TLS failed: \(reason)"
        }
    }

    /// OpenSSL's error for the call that just failed on this thread (`ERR_get_error`): the one
    /// place where its queue becomes an error.
    static func last() -> TLSFailure {
        let code = ERR_peek_error()
        defer { ERR_clear_error() }
        guard ERR_GET_LIB(code) == ERR_LIB_SSL else { return .rejected(reason: reason(of: code)) }
        switch ERR_GET_REASON(code) {
        case SSL_R_HTTP_REQUEST: return .plainHTTP
        case SSL_R_NO_APPLICATION_PROTOCOL, SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL:
            return .noCommonProtocol
        default: return .rejected(reason: reason(of: code))
        }
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
