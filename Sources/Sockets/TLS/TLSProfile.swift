/// What a server takes of its clients, by Mozilla's guideline 5.7.
public enum TLSProfile: String, Sendable, Hashable, CaseIterable {
    /// TLS 1.2 and 1.3: nearly every client of the last ten years.
    case intermediate
    /// TLS 1.3 alone.
    case modern

    /// OpenSSL's names of the cipher suites of TLS 1.2; the client's order counts.
    var ciphers: String {
        """
        ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:\
        ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305:\
        DHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES256-GCM-SHA384:DHE-RSA-CHACHA20-POLY1305
        """
    }

    /// The cipher suites of TLS 1.3.
    static let suites =
        "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"

    static let groups = "X25519:P-256:P-384"
}
