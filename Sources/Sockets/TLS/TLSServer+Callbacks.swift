import COpenSSL

extension TLSServer {
    /// Installs the callbacks of the handshake, which use the session's certificates.
    static func setUp(_ context: OpaquePointer) -> Bool {
        broadsheet_ssl_on_server_name(context) { ssl, _, _ in
            guard let ssl, let material = TLSSession.of(ssl)?.server,
                let name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name),
                let chosen = material.context(for: String(cString: name))
            else { return SSL_TLSEXT_ERR_NOACK }
            chosen.take(over: ssl)
            return SSL_TLSEXT_ERR_OK
        }
        SSL_CTX_set_alpn_select_cb(
            context,
            { ssl, chosen, chosenLength, offered, offeredLength, _ in
                let list = UnsafeBufferPointer(start: offered, count: Int(offeredLength))
                // Without a common protocol the handshake fails (RFC 7301 §3.2).
                guard let offered, let range = TLSSession.of(ssl)?.server?.agreed(list) else {
                    return SSL_TLSEXT_ERR_ALERT_FATAL
                }
                chosen?.pointee = offered + range.lowerBound
                chosenLength?.pointee = UInt8(range.count)
                return SSL_TLSEXT_ERR_OK
            }, nil)
        SSL_CTX_set_tlsext_ticket_key_evp_cb(context) { ssl, name, vector, cipher, mac, seals in
            guard let material = TLSSession.of(ssl)?.server, let name, let vector, let cipher,
                let mac
            else { return -1 }
            return material.prepareTicket(
                name: name, vector: vector, cipherContext: cipher, authenticationContext: mac,
                seals: seals == 1)
        }
        SSL_CTX_set_timeout(context, TicketKeys.lifetimeSeconds)
        // Selects DHE groups that match the strength of the certificate's key
        // (`SSL_CTX_set_dh_auto`).
        _ = SSL_CTX_ctrl(context, SSL_CTRL_SET_DH_AUTO, 1, nil)
        let scope = Array("broadsheet".utf8)
        return SSL_CTX_set_session_id_context(context, scope, UInt32(scope.count)) == 1
    }
}
