import HTTP
import Network

/// Lines of the access log. Of a request only method, path and query are shown, never its fields,
/// and of a query no value that could be a secret.
enum AccessLine {
    /// `{"time":1795252355903,"id":"…","peer":"127.0.0.1:5000","method":"GET",
    /// "target":"/v1/articles","route":"/v1/articles","status":200,"bytes":738,"microseconds":85}`
    static func appendJSON(_ exchange: borrowing ExchangeRecord, to line: inout [UInt8]) {
        line += #"{"time":"#.utf8
        appendNumber(exchange.finishedMilliseconds, to: &line)
        appendField("id", exchange.requestID.utf8, to: &line)
        if let trace = exchange.traceID { appendField("trace", trace.utf8, to: &line) }
        appendField("peer", name(of: exchange.peer).utf8, to: &line)
        if let method = exchange.method { appendField("method", method.rawValue.utf8, to: &line) }
        if let target = exchange.target { appendField("target", shown(target), to: &line) }
        if let route = exchange.template { appendField("route", route.utf8, to: &line) }
        line += #","status":"#.utf8
        appendNumber(Int64(exchange.status.code), to: &line)
        line += #","bytes":"#.utf8
        appendNumber(Int64(exchange.sentBytes), to: &line)
        line += #","microseconds":"#.utf8
        appendNumber(Int64(exchange.microseconds), to: &line)
        line += "}\n".utf8
    }

    /// `Sat, 21 Nov 2026 09:12:35 GMT 127.0.0.1:5000 GET /v1/articles 200 738 B 85 µs id`
    static func appendText(_ exchange: borrowing ExchangeRecord, to line: inout [UInt8]) {
        line += HTTPDate.text(exchange.finishedMilliseconds / 1_000).utf8
        line += " \(name(of: exchange.peer)) \(exchange.method?.rawValue ?? "-") ".utf8
        if let target = exchange.target { line += shown(target) } else { line += "-".utf8 }
        line += " \(exchange.status.code) \(exchange.sentBytes) B ".utf8
        line += "\(exchange.microseconds) µs \(exchange.requestID)".utf8
        if let trace = exchange.traceID { line += " \(trace)".utf8 }
        line.append(UInt8(ascii: "\n"))
    }

    /// `{"time":1795252355903,"peer":"127.0.0.1:5000","handshake":"refused","reason":"…"}`; a
    /// handshake that succeeded has no line.
    static func append(
        _ handshake: borrowing HandshakeRecord, at milliseconds: Int64, as format: AccessLog.Format,
        to line: inout [UInt8]
    ) {
        guard case .failed(let failure, let reason) = handshake.outcome else { return }
        switch format {
        case .json:
            line += #"{"time":"#.utf8
            appendNumber(milliseconds, to: &line)
            appendField("peer", name(of: handshake.peer).utf8, to: &line)
            appendField("handshake", failure.rawValue.utf8, to: &line)
            appendField("reason", reason.utf8, to: &line)
            line += "}\n".utf8
        case .text:
            line += HTTPDate.text(milliseconds / 1_000).utf8
            line += " \(name(of: handshake.peer)) no TLS: \(reason)\n".utf8
        }
    }

    /// A proxy may tell an address alone.
    private static func name(of peer: SocketAddress) -> String {
        if case .unix = peer { return peer.description }
        return peer.port == 0 ? peer.host : peer.description
    }

    /// A target has visible ASCII alone, and neither quotes nor backslashes: it needs no escapes.
    private static func shown(_ target: RequestTarget) -> [UInt8] {
        guard let query = target.query else { return target.bytes }
        let parts = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        let start = target.bytes.count - query.count
        return Array(target.bytes[..<start]) + parts.map(withoutSecret).joined(separator: "&".utf8)
    }

    private static let secretWords = ["token", "key", "secret", "password", "signature", "code"]

    private static func withoutSecret(_ item: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else { return item }
        // A name that is escaped may say anything.
        let name = String(decoding: item[..<equals], as: UTF8.self).lowercased()
        guard name.contains("%") || secretWords.contains(where: name.contains) else { return item }
        return item[...equals] + "***".utf8
    }

    /// Names of routes, peers and request ids are the program's own or checked: none has a quote.
    private static func appendField(
        _ name: String, _ value: some Sequence<UInt8>, to line: inout [UInt8]
    ) {
        line += ",\"\(name)\":\"".utf8
        for byte in value where byte >= 0x20 && byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") { line.append(byte) }
            line.append(byte)
        }
        line.append(UInt8(ascii: "\""))
    }

    private static func appendNumber(_ number: Int64, to line: inout [UInt8]) {
        line += String(number).utf8
    }
}
