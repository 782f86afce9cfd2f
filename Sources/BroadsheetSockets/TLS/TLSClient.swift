import CBroadsheetOpenSSL

/// The client's side of TLS: its trusted authorities, and the verification of servers.
///
/// It rejects certificates that are expired, for another name, or not issued by a trusted
/// authority, and versions older than TLS 1.2.
public final class TLSClient: Sendable {
    private let context: TLSContext
    /// The application protocols that are offered by ALPN, most preferred first.
    public let protocols: [String]

    /// - Parameters:
    ///   - authorities: PEM of the trusted authorities; `nil`: those of the system, or of
    ///     `SSL_CERT_FILE` and `SSL_CERT_DIR`.
    ///   - protocols: The application protocols for ALPN (RFC 7301), most preferred first.
    /// - Throws: If the PEM contains no certificates.
    public init(
        authorities: [UInt8]? = nil, protocols: [String]
    ) throws(TLSConfigurationError) {
        self.protocols = protocols
        let trusted = authorities.map { PEM.certificates(in: $0) }
        defer { for certificate in trusted ?? [] { X509_free(certificate) } }
        guard trusted?.isEmpty != true else {
            throw TLSConfigurationError("contains no PEM certificate (\(TLSFailure.lastReason()))")
        }
        do throws(TLSContextError) {
            context = try TLSContext(TLS_client_method(), profile: .intermediate)
            try context.configure { raw in
                SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nil)
                return Self.trust(trusted, in: raw)
            }
        } catch {
            throw TLSConfigurationError("the authorities cannot be used: \(error.reason)")
        }
    }

    /// A session with the server of this name: a DNS name, or an IP address with or without
    /// brackets.
    ///
    /// - Parameter offered: The application protocols; `nil`: `protocols`.
    func makeSession(
        with host: String, offering offered: [String]?, _ wires: TLSRecordBuffers
    ) throws(TLSFailure) -> TLSSession {
        let session = try context.makeSession(wires)
        let isSet = session.withSSL { ssl in
            SSL_set_connect_state(ssl)
            return Self.expect(host, of: ssl) && Self.offer(offered ?? protocols, on: ssl)
        }
        guard isSet else { throw .rejected(reason: "\"\(host)\" is not a valid server name") }
        return session
    }

    /// - Parameter authorities: `nil`: those of the system.
    private static func trust(_ authorities: [OpaquePointer]?, in context: OpaquePointer) -> Bool {
        guard let authorities else { return SSL_CTX_set_default_verify_paths(context) == 1 }
        let store = SSL_CTX_get_cert_store(context)
        return authorities.allSatisfy { X509_STORE_add_cert(store, $0) == 1 }
    }

    /// `SSL_set_alpn_protos(3)`, which returns 0 for success, unlike other functions.
    private static func offer(_ protocols: [String], on ssl: OpaquePointer) -> Bool {
        let list = protocols.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
        return list.isEmpty || SSL_set_alpn_protos(ssl, list, UInt32(list.count)) == 0
    }

    /// Requires the certificate to match this name (RFC 9110 §4.3.4), and sends the name to the
    /// server (RFC 6066 §3: never an address).
    private static func expect(_ host: String, of ssl: OpaquePointer) -> Bool {
        var host = host
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host.hasSuffix(".") { host.removeLast() }
        guard !host.isEmpty, !host.utf8.contains(0) else { return false }
        if let address = a2i_IPADDRESS(host) {
            ASN1_OCTET_STRING_free(address)
            return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1
        }
        // The subject's common name does not identify a server (RFC 9525 §6.3).
        let flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT
        SSL_set_hostflags(ssl, UInt32(flags))
        var name = Array(host.utf8CString)
        return SSL_set1_host(ssl, host) == 1
            && SSL_ctrl(
                ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), &name) == 1
    }
}
