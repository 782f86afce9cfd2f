import COpenSSL

/// What sessions are made from (`SSL_CTX`): versions, ciphers, certificates. Set up once, then only
/// read.
final class TLSContext: Sendable {
    // Counts its references and locks for itself once it is set up (openssl-threads(7)).
    private nonisolated(unsafe) let raw: OpaquePointer

    /// - Throws: what OpenSSL says, in words.
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

    /// A session of this context, whose wires are the loop's.
    func makeSession(
        _ wires: TLSRecordBuffers, of server: TLSServer.Material? = nil
    ) throws(TLSFailure) -> TLSSession {
        ERR_clear_error()
        guard let ssl = SSL_new(raw) else { throw .last() }
        return TLSSession(ssl, wires, server)
    }

    /// Has a session go on with this context's certificates.
    func take(over ssl: OpaquePointer) { SSL_set_SSL_CTX(ssl, raw) }

    /// Sets up what has to be set up before the first session.
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

/// What OpenSSL says of a context that could not be set up.
struct TLSContextError: Error {
    let reason: String

    init() { reason = TLSFailure.lastReason() }
}
