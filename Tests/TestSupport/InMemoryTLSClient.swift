import CBroadsheetOpenSSL

/// A client's TLS without a socket: its flights as bytes that can be cut anywhere.
public final class InMemoryTLSClient {
    private let session: TestSession
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer

    public init(_ options: TestTLS = TestTLS()) throws(TestFailure) {
        session = try TestSession(options)
        guard let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem()) else {
            throw TestFailure("BIO_new")
        }
        self.incoming = incoming
        self.outgoing = outgoing
        SSL_set_bio(session.ssl, incoming, outgoing)
        SSL_set_connect_state(session.ssl)
    }

    /// Returns the bytes that the client sends after receiving these; `nil` if it sends nothing.
    public func respond(to bytes: [UInt8] = []) -> [UInt8]? {
        ERR_clear_error()
        if !bytes.isEmpty { BIO_write(incoming, bytes, Int32(bytes.count)) }
        SSL_do_handshake(session.ssl)
        return sent()
    }

    public var isDone: Bool { SSL_get_state(session.ssl) == TLS_ST_OK }

    /// The encrypted bytes of this text, after the handshake.
    public func carry(_ text: String) -> [UInt8] { carry(Array(text.utf8)) }

    func carry(_ bytes: [UInt8]) -> [UInt8] {
        _ = session.write(bytes)
        return sent() ?? []
    }

    /// The plaintext that these bytes complete.
    func read(_ bytes: [UInt8]) -> [UInt8] {
        BIO_write(incoming, bytes, Int32(bytes.count))
        var plain: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while case let count = session.read(into: &piece), count > 0 {
            plain += piece.prefix(count)
        }
        return plain
    }

    private func sent() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = BIO_read(outgoing, &bytes, Int32(bytes.count))
        return count > 0 ? Array(bytes.prefix(Int(count))) : nil
    }
}
