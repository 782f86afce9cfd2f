import CBroadsheetOpenSSL

/// A private key with its certificate chain, as a server presents it.
final class TLSIdentity: Sendable {
    // OpenSSL counts its references and locks internally (openssl-threads(7)); it is only read.
    private nonisolated(unsafe) let leaf: OpaquePointer
    // As above.
    private nonisolated(unsafe) let chain: [OpaquePointer]
    // As above.
    private nonisolated(unsafe) let key: OpaquePointer
    /// The DNS names it is valid for, in lower case, including wildcards such as `*.example.org`.
    let names: [String]
    let facts: TLSServer.Certificate
    /// `EVP_PKEY_EC`, `EVP_PKEY_RSA`, …: a context has one certificate of each type.
    let keyKind: Int32

    /// Maximum number of certificates in a chain.
    private static let limitChain = 10

    /// - Parameters:
    ///   - certificate: PEM, the server's own certificate first.
    ///   - key: PEM, not encrypted.
    init(certificate: [UInt8], key: [UInt8]) throws(TLSIdentityError) {
        let certificates = PEM.certificates(in: certificate)
        guard let leaf = certificates.first else {
            throw .badCertificate(TLSFailure.lastReason())
        }
        self.leaf = leaf
        chain = Array(certificates.dropFirst())
        names = Self.names(of: leaf)
        let start = Self.seconds(X509_get0_notBefore(leaf))
        facts = TLSServer.Certificate(
            fingerprint: Self.fingerprint(of: leaf),
            validity: start...max(start, Self.seconds(X509_get0_notAfter(leaf))))
        let parsed = PEM.privateKey(in: key)
        // Every property must be set before this can throw, as `deinit` frees them.
        self.key = parsed ?? EVP_PKEY_new()
        keyKind = EVP_PKEY_get_base_id(self.key)
        guard parsed != nil else { throw .badKey(TLSFailure.lastReason()) }
        guard chain.count < Self.limitChain else { throw .badCertificate("the chain is too long") }
        guard X509_check_private_key(leaf, self.key) == 1 else {
            ERR_clear_error()
            throw .keyOfAnother
        }
    }

    deinit {
        X509_free(leaf)
        for certificate in chain { X509_free(certificate) }
        EVP_PKEY_free(key)
    }

    /// Makes a context present this identity (`SSL_CTX_use_certificate(3)`).
    func install(in context: OpaquePointer) -> Bool {
        guard SSL_CTX_use_certificate(context, leaf) == 1,
            SSL_CTX_use_PrivateKey(context, key) == 1
        else { return false }
        return chain.allSatisfy {
            // `SSL_CTX_add1_chain_cert` adds to the certificate that was set last.
            SSL_CTX_ctrl(context, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer($0)) == 1
        }
    }

    private static func names(of certificate: OpaquePointer) -> [String] {
        let raw = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil)
        guard let names = raw.map({ OpaquePointer($0) }) else { return [] }
        defer { GENERAL_NAMES_free(names) }
        return (0..<broadsheet_name_count(names)).compactMap { index in
            var length: Int32 = 0
            guard let bytes = broadsheet_dns_name(names, index, &length), length > 0 else {
                return nil
            }
            let text = UnsafeBufferPointer(start: bytes, count: Int(length))
            return String(decoding: text, as: UTF8.self).lowercased()
        }
    }

    private static func fingerprint(of certificate: OpaquePointer) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        X509_digest(certificate, EVP_sha256(), &digest, &count)
        return Array(digest.prefix(Int(count)))
    }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64 {
        guard let epoch = ASN1_TIME_set(nil, 0) else { return 0 }
        defer { ASN1_STRING_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return 0 }
        return Int64(days) * 86_400 + Int64(seconds)
    }
}

/// The fault of a certificate or its key.
enum TLSIdentityError: Error, Hashable {
    case badCertificate(String)
    case badKey(String)
    case keyOfAnother
}

/// Certificates and keys in text (RFC 7468).
enum PEM {
    /// All certificates in order; the caller owns them. Empty if one of them is invalid.
    static func certificates(in text: [UInt8]) -> [OpaquePointer] {
        withSource(text) { source in
            ERR_clear_error()
            var found: [OpaquePointer] = []
            while let certificate = PEM_read_bio_X509(source, nil, nil, nil) {
                found.append(certificate)
            }
            // OpenSSL also reports the end of the text as an error.
            let code = ERR_peek_last_error()
            let isEnd =
                ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE
            guard isEnd, !found.isEmpty else {
                for certificate in found { X509_free(certificate) }
                return []
            }
            ERR_clear_error()
            return found
        }
    }

    /// The first private key; the caller owns it. It never prompts for a passphrase.
    static func privateKey(in text: [UInt8]) -> OpaquePointer? {
        withSource(text) { source in
            ERR_clear_error()
            return PEM_read_bio_PrivateKey(source, nil, { _, _, _, _ in -1 }, nil)
        }
    }

    private static func withSource<Result>(
        _ text: [UInt8], _ body: (OpaquePointer?) -> Result
    ) -> Result {
        text.withUnsafeBytes { text in
            let source = BIO_new_mem_buf(text.baseAddress, Int32(clamping: text.count))
            defer { BIO_free(source) }
            return body(source)
        }
    }
}
