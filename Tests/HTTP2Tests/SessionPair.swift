import HTTP
import HTTP2

/// A client's and a server's session that exchange bytes in memory.
struct SessionPair {
    let client: HTTP2Session
    let server: HTTP2Session

    init(_ settings: HTTP2Settings = HTTP2Settings()) {
        client = HTTP2Session(.client, settings)
        server = HTTP2Session(.server, settings)
    }

    /// Passes on everything that either side has to send, and returns what each side learned of it.
    func exchange() throws -> (server: [HTTP2Event], client: [HTTP2Event]) {
        var learned: (server: [HTTP2Event], client: [HTTP2Event]) = ([], [])
        // Invariant: everything that was written has been received.
        while true {
            let sent = try Self.output(of: client)
            try Self.pass(sent, to: server)
            learned.server += server.takeEvents()
            let answered = try Self.output(of: server)
            try Self.pass(answered, to: client)
            learned.client += client.takeEvents()
            if sent.isEmpty, answered.isEmpty { return learned }
        }
    }

    static func output(of session: HTTP2Session) throws -> [UInt8] {
        var output: [UInt8] = []
        try session.write(to: &output, upTo: 1 << 20)
        return output
    }

    static func pass(_ bytes: [UInt8], to session: HTTP2Session, now: Int64 = 0) throws {
        try bytes.withUnsafeBytes { try session.receive($0, now: now) }
    }
}

/// A frame as octets (RFC 9113 §4.1).
func frame(
    _ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []
) -> [UInt8] {
    let count = UInt32(payload.count)
    let head: [UInt8] = [
        UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), type, flags,
    ]
    let id = [24, 16, 8, 0].map { UInt8(stream >> $0 & 0xFF) }
    return head + id + payload
}

/// A field without compression (RFC 7541 §6.2.2).
func field(_ name: String, _ value: String) -> [UInt8] {
    [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
}

/// The connection preface of a client (RFC 9113 §3.4).
let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4)

/// A request's field block: its method, path and authority, and further fields.
func block(
    _ method: String = "GET", _ path: String = "/", authority: String? = "localhost",
    _ fields: [(String, String)] = []
) -> [UInt8] {
    var all = [(":method", method), (":scheme", "http"), (":path", path)]
    if let authority { all.append((":authority", authority)) }
    return (all + fields).flatMap { field($0.0, $0.1) }
}
