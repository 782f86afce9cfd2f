import COpenSSL

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
