import HTTP
import Sockets

/// Formats lines of the access log. Of a request they contain only method, path and query, never
/// its fields, and of the query no value that could be a secret.
enum AccessLine {
    /// `{"time":1795252355903,"id":"…","peer":"127.0.0.1:5000","method":"GET",
    /// "target":"/v1/articles","route":"/v1/articles","status":200,"bytes":738,"microseconds":85}`
    static func appendJSON(_ exchange: borrowing ExchangeRecord, to line: LineBuffer) {
        line.append(#"{"time":"#)
        line.append(decimal: exchange.finishedMilliseconds)
        line.append(#","id":""#)
        line.append(escaping: exchange.requestID)
        if let trace = exchange.traceID {
            line.append(#"","trace":""#)
            line.append(escaping: trace)
        }
        line.append(#"","peer":""#)
        line.append(exchange.peer, escapesJSON: true)
        if let method = exchange.method {
            line.append(#"","method":""#)
            line.append(escaping: method.rawValue)
        }
        if let target = exchange.target {
            line.append(#"","target":""#)
            append(target, to: line)
        }
        if let route = exchange.template {
            line.append(#"","route":""#)
            line.append(escaping: route)
        }
        line.append(#"","status":"#)
        line.append(decimal: Int64(exchange.status.code))
        line.append(#","bytes":"#)
        line.append(decimal: Int64(exchange.sentBytes))
        line.append(#","microseconds":"#)
        line.append(decimal: Int64(exchange.microseconds))
        line.append("}")
        line.endLine()
    }

    /// `Sat, 21 Nov 2026 09:12:35 GMT 127.0.0.1:5000 GET /v1/articles 200 738 B 85 µs id`
    /// - Parameter date: The time when the exchange ended, as text.
    static func appendText(
        _ exchange: borrowing ExchangeRecord, date: [UInt8], to line: LineBuffer
    ) {
        line.append(date)
        line.append(" ")
        line.append(exchange.peer, escapesJSON: false)
        line.append(" ")
        if let method = exchange.method { line.append(method.rawValue) } else { line.append("-") }
        line.append(" ")
        if let target = exchange.target { append(target, to: line) } else { line.append("-") }
        line.append(" ")
        line.append(decimal: Int64(exchange.status.code))
        line.append(" ")
        line.append(decimal: Int64(exchange.sentBytes))
        line.append(" B ")
        line.append(decimal: Int64(exchange.microseconds))
        line.append(" µs ")
        line.append(exchange.requestID)
        if let trace = exchange.traceID {
            line.append(" ")
            line.append(trace)
        }
        line.endLine()
    }

    /// `{"time":1795252355903,"peer":"127.0.0.1:5000","handshake":"refused","reason":"…"}`;
    /// successful handshakes are not logged.
    static func append(
        _ handshake: borrowing HandshakeRecord, at milliseconds: Int64, as format: AccessLog.Format,
        to line: LineBuffer
    ) {
        guard case .failed(let failure, let reason) = handshake.outcome else { return }
        switch format {
        case .json:
            line.append(#"{"time":"#)
            line.append(decimal: milliseconds)
            line.append(#","peer":""#)
            line.append(handshake.peer, escapesJSON: true)
            line.append(#"","handshake":""#)
            line.append(escaping: failure.rawValue)
            line.append(#"","reason":""#)
            line.append(escaping: reason)
            line.append(#""}"#)
        case .text:
            line.append(HTTPDate.text(milliseconds / 1_000))
            line.append(" ")
            line.append(handshake.peer, escapesJSON: false)
            line.append(" no TLS: ")
            line.append(reason)
        }
        line.endLine()
    }

    // MARK: Targets

    /// A target is visible ASCII without quotes and backslashes, so it needs no escaping.
    private static func append(_ target: RequestTarget, to line: LineBuffer) {
        guard let query = target.query else { return line.append(target.bytes) }
        let queryCount = query.count
        target.bytes.withUnsafeBytes { bytes in
            let queryStart = bytes.count - queryCount
            line.append(bytes[..<queryStart])
            var start = queryStart
            // Invariant: everything before `start` is appended; an item begins at `start`.
            while true {
                let item = bytes[start...].prefix { $0 != UInt8(ascii: "&") }
                append(item: item, to: line)
                guard item.endIndex < bytes.count else { return }
                line.append(UInt8(ascii: "&"))
                start = item.endIndex + 1
            }
        }
    }

    private static func append(item: Slice<UnsafeRawBufferPointer>, to line: LineBuffer) {
        guard let equals = item.firstIndex(of: UInt8(ascii: "=")),
            mayNameSecret(item[..<equals])
        else { return line.append(item) }
        line.append(item[...equals])
        line.append("***")
    }

    private static let secretWords = ["token", "key", "secret", "password", "signature", "code"]
        .map { Array($0.utf8) }

    /// The bits of the letters that these begin with.
    private static let initials = secretWords.reduce(0 as UInt32) { $0 | 1 << UInt32($1[0] & 31) }

    /// Whether the name contains one of the words, ignoring case. A percent-encoded name counts as
    /// containing them.
    private static func mayNameSecret(_ name: Slice<UnsafeRawBufferPointer>) -> Bool {
        for index in name.indices {
            let byte = name[index]
            if byte == UInt8(ascii: "%") { return true }
            guard initials & (1 << UInt32(byte & 31)) != 0 else { continue }
            let rest = name[index...]
            for word in secretWords where rest.count >= word.count {
                if zip(rest, word).allSatisfy({ $0 | 0x20 == $1 }) { return true }
            }
        }
        return false
    }
}
