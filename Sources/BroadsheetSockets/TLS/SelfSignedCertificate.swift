import CBroadsheetOpenSSL

/// A newly generated private key with a certificate for it (RFC 5280).
public final class SelfSignedCertificate: Sendable {
    // OpenSSL counts its references and locks internally (openssl-threads(7)); it is only read.
    private nonisolated(unsafe) let certificate: OpaquePointer
    // As above.
    private nonisolated(unsafe) let key: OpaquePointer

    /// The reason why a certificate cannot be created.
    public enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The name is neither a DNS name nor an IP address.
        case badName(String)
        case failed(String)

        public var description: String {
            switch self {
            case .badName(let name): "\"\(name)\" is neither a DNS name nor an IP address"
            case .failed(let reason): "OpenSSL failed: \(reason)"
            }
        }
    }

    /// The contents of a certificate.
    package struct Claims {
        /// DNS names and IP addresses.
        package var names: [String]
        package var usesRSA = false
        /// True if it is an authority that may sign others.
        package var isAuthority = false
        /// True if the names are subject alternative names (RFC 9525 §6.3), rather than the first
        /// one only in the subject.
        package var hasAlternativeNames = true
        /// Seconds from now.
        package var start = -3_600
        package var end: Int

        package init(_ names: [String], days: Int) {
            self.names = names
            end = days * 86_400
        }
    }

    /// A self-signed certificate for a server, with a P-256 key.
    ///
    /// - Parameters:
    ///   - names: DNS names, also with a leading `*.`, and IP addresses; the first is the subject.
    ///   - days: The number of days it is valid.
    public static func selfSigned(
        _ names: [String], days: Int
    ) throws(Failure) -> SelfSignedCertificate {
        try SelfSignedCertificate(Claims(names, days: days), signedBy: nil)
    }

    /// - Parameter issuer: `nil`: it is self-signed.
    package init(_ claims: Claims, signedBy issuer: SelfSignedCertificate?) throws(Failure) {
        ERR_clear_error()
        let alternatives = try Self.alternativeNames(claims.names)
        guard
            let key = claims.usesRSA
                ? broadsheet_generate_rsa(2_048) : broadsheet_generate_ec("P-256")
        else { throw .failed(TLSFailure.lastReason()) }
        guard let certificate = X509_new() else {
            EVP_PKEY_free(key)
            throw .failed(TLSFailure.lastReason())
        }
        self.key = key
        self.certificate = certificate
        let constraint = claims.isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE"
        let usage =
            claims.isAuthority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature"
        let isSet =
            X509_set_version(certificate, 2) == 1 && Self.setSerial(certificate)
            && X509_gmtime_adj(X509_getm_notBefore(certificate), claims.start) != nil
            && X509_gmtime_adj(X509_getm_notAfter(certificate), claims.end) != nil
            && X509_set_pubkey(certificate, key) == 1
            && Self.setName(claims.names[0], of: certificate)
            && X509_set_issuer_name(
                certificate, X509_get_subject_name(issuer?.certificate ?? certificate)) == 1
            && Self.add(NID_basic_constraints, constraint, to: certificate)
            && Self.add(NID_key_usage, usage, to: certificate)
            && Self.add(NID_ext_key_usage, "serverAuth", to: certificate)
            && (!claims.hasAlternativeNames
                || Self.add(NID_subject_alt_name, alternatives, to: certificate))
            && X509_sign(certificate, issuer?.key ?? key, EVP_sha256()) > 0
        guard isSet else { throw .failed(TLSFailure.lastReason()) }
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    // MARK: PEM

    public var certificatePEM: String {
        Self.text { PEM_write_bio_X509($0, certificate) }
    }

    /// Not encrypted: store it where only its owner can read it.
    public var keyPEM: String {
        Self.text { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
    }

    private static func text(_ write: (OpaquePointer?) -> Int32) -> String {
        let sink = BIO_new(BIO_s_mem())
        defer { BIO_free(sink) }
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        guard write(sink) == 1 else { return "" }
        let count = BIO_read(sink, &bytes, Int32(bytes.count))
        return String(decoding: bytes.prefix(max(0, Int(count))), as: UTF8.self)
    }

    // MARK: Parts

    /// In OpenSSL's syntax for alternative names, so names are validated: one could inject others.
    private static func alternativeNames(_ names: [String]) throws(Failure) -> String {
        guard !names.isEmpty else { throw .badName("") }
        var texts: [String] = []
        for name in names {
            if let address = a2i_IPADDRESS(name) {
                ASN1_OCTET_STRING_free(address)
                texts.append("IP:\(name)")
            } else if isHostName(name) {
                texts.append("DNS:\(name)")
            } else {
                throw .badName(name)
            }
        }
        return texts.joined(separator: ",")
    }

    /// RFC 1123 §2.1, with a wildcard as the first label.
    private static func isHostName(_ name: String) -> Bool {
        let rest = name.hasPrefix("*.") ? name.dropFirst(2) : name[...]
        guard (1...253).contains(name.utf8.count) else { return false }
        return rest.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy {
                    (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                        || $0 == UInt8(ascii: "-")
                }
        }
    }

    private static func setSerial(_ certificate: OpaquePointer) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard RAND_bytes(&bytes, 16) == 1 else { return false }
        // Positive, and never 0 (RFC 5280 §4.1.2.2).
        bytes[0] = bytes[0] & 0x7F | 0x40
        guard let number = BN_bin2bn(bytes, 16, nil) else { return false }
        defer { BN_free(number) }
        return BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
    }

    private static func setName(_ name: String, of certificate: OpaquePointer) -> Bool {
        // A common name has at most 64 characters (RFC 5280 appendix A.1).
        let name = Array(name.utf8.prefix(64))
        return X509_NAME_add_entry_by_txt(
            X509_get_subject_name(certificate), "CN", MBSTRING_UTF8, name, Int32(name.count), -1, 0)
            == 1
    }

    private static func add(
        _ identifier: Int32, _ value: String, to certificate: OpaquePointer
    ) -> Bool {
        let made = X509V3_EXT_nconf_nid(nil, nil, identifier, value)
        guard let made else { return false }
        defer { X509_EXTENSION_free(made) }
        return X509_add_ext(certificate, made, -1) == 1
    }
}
