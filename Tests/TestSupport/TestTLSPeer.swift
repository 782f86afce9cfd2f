public import BroadsheetSockets
import CBroadsheetOpenSSL
import Glibc

/// A TLS server for one client, valid or not as a test requires. It uses OpenSSL directly rather
/// than the code under test.
public final class TestTLSPeer: Sendable {
    public let address: SocketAddress
    private let listener: Listening

    /// A socket that is closed when neither the peer nor its thread retains it.
    private final class Listening: Sendable {
        let raw: Int32

        init() { raw = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }

        deinit { close(raw) }
    }

    /// The way in which the peer ends the connection.
    public enum Ending: Sendable {
        /// With close_notify.
        case proper
        /// Without close_notify, like a cut wire.
        case cut
    }

    /// - Parameters:
    ///   - version: The only supported version; 0 means any.
    ///   - response: The text that it sends once it has received something.
    public init(
        _ pair: CertificateAndKey, version: Int32 = 0, response: String = "",
        ending: Ending = .proper
    ) throws(TestFailure) {
        let listener = Listening()
        self.listener = listener
        let raw = listener.raw
        var local = sockaddr_in()
        local.sin_family = sa_family_t(AF_INET)
        local.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &local) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(raw, pointer, size) == 0 && listen(raw, 8) == 0
                    && getsockname(raw, pointer, &size) == 0
            }
        }
        guard isListening else { throw .system("listen") }
        address = .v4([127, 0, 0, 1], port: UInt16(bigEndian: local.sin_port))
        TestThreads.start { Self.serve(listener, pair, version, response, ending) }
    }

    // Ends a pending `accept`.
    deinit { shutdown(listener.raw, Int32(SHUT_RDWR)) }

    private static func serve(
        _ listener: Listening, _ pair: CertificateAndKey, _ version: Int32, _ response: String,
        _ ending: Ending
    ) {
        signal(SIGPIPE, SIG_IGN)
        let descriptor = accept(listener.raw, nil, nil)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: Patience.seconds, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience,
            socklen_t(MemoryLayout<timeval>.size))
        let context = SSL_CTX_new(TLS_server_method())
        defer { SSL_CTX_free(context) }
        guard prepare(context, pair, version), let ssl = SSL_new(context) else { return }
        defer { SSL_free(ssl) }
        SSL_set_fd(ssl, descriptor)
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        guard SSL_accept(ssl) == 1, SSL_read(ssl, &bytes, Int32(bytes.count)) > 0 else { return }
        let octets = Array(response.utf8)
        if !octets.isEmpty { SSL_write(ssl, octets, Int32(octets.count)) }
        switch ending {
        case .proper: SSL_shutdown(ssl)
        case .cut: shutdown(descriptor, Int32(SHUT_WR))
        }
        // The client closes last, so that it receives everything.
        while recv(descriptor, &bytes, bytes.count, 0) > 0 {}
    }

    private static func prepare(
        _ context: OpaquePointer?, _ pair: CertificateAndKey, _ version: Int32
    ) -> Bool {
        SSL_CTX_set_security_level(context, 0)
        SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0")
        for command in [SSL_CTRL_SET_MIN_PROTO_VERSION, SSL_CTRL_SET_MAX_PROTO_VERSION] {
            _ = SSL_CTX_ctrl(context, command, Int(version), nil)
        }
        let leaf = read(pair.certificate) { PEM_read_bio_X509($0, nil, nil, nil) }
        let secret = read(pair.key) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
        defer {
            X509_free(leaf)
            EVP_PKEY_free(secret)
        }
        return SSL_CTX_use_certificate(context, leaf) == 1
            && SSL_CTX_use_PrivateKey(context, secret) == 1
    }

    /// Lends the body a BIO that reads the bytes in place.
    private static func read<Result>(
        _ bytes: [UInt8], _ body: (OpaquePointer?) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { bytes in
            let source = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            defer { BIO_free(source) }
            return body(source)
        }
    }
}
