public import BroadsheetSockets
import CBroadsheetOpenSSL
import Glibc

/// The options of a test's TLS client, which uses OpenSSL directly rather than the code under test.
public struct TestTLS: Sendable {
    /// The server's name, which is verified if authorities are given.
    public var host: String?
    /// Authorities in PEM; without any, every certificate is accepted.
    public var authorities: String?
    /// `0x0303` is TLS 1.2 (RFC 8446 §4.1.2), `0x0304` 1.3; 0 means any.
    public var version: Int32 = 0
    /// Cipher suites of TLS 1.2, by OpenSSL's names.
    public var ciphers: String?
    public var suites: String?
    /// Such as `ECDSA+SHA256`, `RSA-PSS+SHA256`; the certificate's key must support one.
    public var signatures: String?
    public var protocols: [String] = []
    /// A session to resume.
    public var session: TestTicket?

    public init(_ host: String? = nil) { self.host = host }

    public static let tls11: Int32 = 0x0302
    public static let tls12: Int32 = 0x0303
    public static let tls13: Int32 = 0x0304
}

/// One client's session over a blocking socket (`SSL_set_fd(3)`).
public final class TestSession: ConnectionLayer {
    private let context: OpaquePointer
    let ssl: OpaquePointer
    private(set) var failure: TestFailure?
    /// The socket that it was connected over.
    private var socket: ClientSocket?

    init(_ options: TestTLS) throws(TestFailure) {
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_client_method()), let ssl = Self.make(context, options)
        else { throw Self.lastFailure("TLS") }
        self.context = context
        self.ssl = ssl
    }

    deinit {
        SSL_free(ssl)
        SSL_CTX_free(context)
    }

    private static func make(_ context: OpaquePointer, _ options: TestTLS) -> OpaquePointer? {
        // The client may be weak: the server is under test.
        SSL_CTX_set_security_level(context, 0)
        for command in [SSL_CTRL_SET_MIN_PROTO_VERSION, SSL_CTRL_SET_MAX_PROTO_VERSION] {
            _ = SSL_CTX_ctrl(context, command, Int(options.version), nil)
        }
        if let ciphers = options.ciphers {
            guard SSL_CTX_set_cipher_list(context, ciphers) == 1 else { return nil }
        }
        if let suites = options.suites {
            guard SSL_CTX_set_ciphersuites(context, suites) == 1 else { return nil }
        }
        if let signatures = options.signatures {
            var text = Array(signatures.utf8CString)
            guard SSL_CTX_ctrl(context, SSL_CTRL_SET_SIGALGS_LIST, 0, &text) == 1 else {
                return nil
            }
        }
        if let authorities = options.authorities {
            guard trust(authorities, in: context) else { return nil }
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        }
        guard let ssl = SSL_new(context) else { return nil }
        if let host = options.host {
            var name = Array(host.utf8CString)
            _ = SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), &name)
            SSL_set1_host(ssl, host)
        }
        if !options.protocols.isEmpty {
            let list = options.protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
            SSL_set_alpn_protos(ssl, list, UInt32(list.count))
        }
        if let ticket = options.session { SSL_set_session(ssl, ticket.raw) }
        return ssl
    }

    private static func trust(_ authorities: String, in context: OpaquePointer) -> Bool {
        // The BIO reads the text in place.
        Array(authorities.utf8).withUnsafeBytes { text in
            let source = BIO_new_mem_buf(text.baseAddress, Int32(text.count))
            defer { BIO_free(source) }
            var count = 0
            while let certificate = PEM_read_bio_X509(source, nil, nil, nil) {
                X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate)
                X509_free(certificate)
                count += 1
            }
            ERR_clear_error()
            return count > 0
        }
    }

    // MARK: Over a socket

    func connect(_ socket: ClientSocket) throws(TestFailure) {
        // OpenSSL writes without MSG_NOSIGNAL.
        signal(SIGPIPE, SIG_IGN)
        ERR_clear_error()
        self.socket = socket
        SSL_set_fd(ssl, socket.descriptor)
        guard SSL_connect(ssl) == 1 else { throw Self.lastFailure("SSL_connect") }
    }

    func write(_ bytes: [UInt8]) -> Int {
        ERR_clear_error()
        var count = 0
        return SSL_write_ex(ssl, bytes, bytes.count, &count) == 1 ? count : 0
    }

    /// 0 after close_notify; -1 for any other end.
    func read(into bytes: inout [UInt8]) -> Int {
        ERR_clear_error()
        var count = 0
        let result = SSL_read_ex(ssl, &bytes, bytes.count, &count)
        if result == 1 { return count }
        if SSL_get_error(ssl, result) == SSL_ERROR_ZERO_RETURN { return 0 }
        failure = Self.lastFailure("SSL_read")
        return -1
    }

    static func lastFailure(_ call: String) -> TestFailure {
        let code = ERR_peek_error()
        ERR_clear_error()
        let text = ERR_reason_error_string(code).map { String(cString: $0) }
        return TestFailure("\(call): \(text ?? "no reason")")
    }

    // MARK: Negotiated parameters

    public var version: Int32 { SSL_version(ssl) }

    public var cipher: String { String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(ssl))) }

    public var agreedProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        guard let name, length > 0 else { return nil }
        return String(
            decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
    }

    public var compresses: Bool { SSL_get_current_compression(ssl) != nil }

    public var isResumed: Bool { SSL_session_reused(ssl) == 1 }

    /// The session that the server has sent so far, for resumption.
    public var ticket: TestTicket? { SSL_get1_session(ssl).map(TestTicket.init) }

    /// The common name of the server's certificate.
    public var certificateName: String? {
        guard let certificate = SSL_get0_peer_certificate(ssl) else { return nil }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
            let count = X509_NAME_get_text_by_NID(
                X509_get_subject_name(certificate), NID_commonName, text.baseAddress, 256)
            return count < 0 ? nil : text.baseAddress.map { String(cString: $0) }
        }
    }

    public var certificateUsesRSA: Bool {
        guard let certificate = SSL_get0_peer_certificate(ssl) else { return false }
        return EVP_PKEY_get_base_id(X509_get0_pubkey(certificate)) == EVP_PKEY_RSA
    }

    // MARK: Hostile behaviour

    /// Requests renegotiation (TLS 1.2); returns whether the server took part.
    public func renegotiate() -> Bool {
        ERR_clear_error()
        guard SSL_renegotiate(ssl) == 1 else { return false }
        return SSL_do_handshake(ssl) == 1
    }

    /// Requests a key update in both directions (TLS 1.3), sent with the next write.
    public func updateKeys() { SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED) }

    /// Sends close_notify.
    public func sendEnd() { SSL_shutdown(ssl) }
}

extension RawConnection {
    /// Performs the handshake; from then on everything is encrypted.
    @discardableResult
    public func startTLS(_ options: TestTLS = TestTLS()) throws(TestFailure) -> TestSession {
        let session = try TestSession(options)
        try session.connect(socket)
        layer = session
        return session
    }
}

/// A session that a server sent for resumption.
public final class TestTicket: Sendable {
    // OpenSSL counts its references and locks internally (openssl-threads(7)).
    nonisolated(unsafe) let raw: OpaquePointer

    init(_ raw: OpaquePointer) { self.raw = raw }

    deinit { SSL_SESSION_free(raw) }

    /// The name of the key that encrypted it: its first 16 bytes (RFC 5077 §4).
    public var keyName: [UInt8] {
        var ticket: UnsafePointer<UInt8>?
        var length = 0
        SSL_SESSION_get0_ticket(raw, &ticket, &length)
        return Array(UnsafeBufferPointer(start: ticket, count: length).prefix(16))
    }
}

/// Certificates generated for tests.
public struct TestCertificates: Sendable {
    /// The issuer of the others.
    public let authority: SelfSignedCertificate

    public init() throws { try self.init("authority.test", signedBy: nil) }

    /// An authority issued by another one.
    public init(below root: TestCertificates) throws {
        try self.init("between.test", signedBy: root.authority)
    }

    private init(_ name: String, signedBy issuer: SelfSignedCertificate?) throws {
        var claims = SelfSignedCertificate.Claims([name], days: 30)
        claims.isAuthority = true
        authority = try SelfSignedCertificate(claims, signedBy: issuer)
    }

    /// A certificate of the authority, with its key.
    public func pair(
        _ names: [String], rsa usesRSA: Bool = false, days: Int = 30, startsInDays: Int = 0
    ) throws -> CertificateAndKey {
        var claims = SelfSignedCertificate.Claims(names, days: days)
        claims.usesRSA = usesRSA
        claims.start += startsInDays * 86_400
        return CertificateAndKey(try SelfSignedCertificate(claims, signedBy: authority))
    }

    /// A certificate with its name only in the subject, as was once customary.
    public func pair(namedBySubject name: String) throws -> CertificateAndKey {
        var claims = SelfSignedCertificate.Claims([name], days: 30)
        claims.hasAlternativeNames = false
        return CertificateAndKey(try SelfSignedCertificate(claims, signedBy: authority))
    }
}

extension CertificateAndKey {
    public init(_ new: SelfSignedCertificate) {
        self.init(certificate: Array(new.certificatePEM.utf8), key: Array(new.keyPEM.utf8))
    }
}
