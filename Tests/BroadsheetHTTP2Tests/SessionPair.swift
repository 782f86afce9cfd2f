import BroadsheetHTTP
import BroadsheetHTTP2

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
