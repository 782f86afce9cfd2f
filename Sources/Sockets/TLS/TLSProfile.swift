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
