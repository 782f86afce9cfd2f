import COpenSSL

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

    /// Configures what must be set before the first session.
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
