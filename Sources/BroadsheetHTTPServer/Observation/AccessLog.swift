import BroadsheetHTTP
public import BroadsheetPlatform
import BroadsheetSockets
import Glibc
import Synchronization

/// Logs a line for each response: readable text on a terminal, otherwise one JSON object.
///
/// Each loop collects the lines of its connections in its own buffer and passes them to the writer
/// together, within 50 ms. The lines have no credentials and no bodies. Safe to use from any
/// thread; `detail` can change while the server runs.
///
/// ```swift
/// let log = AccessLog(writer, system: .real)
/// log.detail = .failures
/// configuration.accessLog = log
/// ```
public final class AccessLog: HandshakeObserver {
    /// The format of a line.
    public enum Format: Sendable {
        case json
        /// Readable text.
        case text

        /// The format that suits the descriptor (`isatty(3)`).
        public static func preferred(_ descriptor: Int32) -> Format {
            isatty(descriptor) == 1 ? .text : .json
        }
    }

    /// The level of detail of a log.
    public enum Detail: Int, Sendable, Comparable {
        /// Responses with status 500 and above.
        case failures
        /// All responses.
        case responses
        /// All responses and failed handshakes.
        case everything

        public static func < (left: Detail, right: Detail) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    let writer: LogWriter
    private let system: SystemEnvironment
    private let shown = Atomic(Detail.responses.rawValue)

    /// - Parameters:
    ///   - writer: Determines the format of the lines.
    ///   - system: Has the clock for the lines of handshakes.
    public init(_ writer: LogWriter, system: SystemEnvironment) {
        self.writer = writer
        self.system = system
    }

    /// Sets the level of detail from now on.
    public var detail: Detail {
        get { Detail(rawValue: shown.load(ordering: .relaxed)) ?? .responses }
        set { shown.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Returns true if a response with this status is logged.
    func shows(_ status: HTTPStatus) -> Bool {
        shown.load(ordering: .relaxed) > Detail.failures.rawValue || status.code >= 500
    }

    public func ended(_ handshake: borrowing HandshakeRecord) {
        guard detail == .everything, case .failed = handshake.outcome else { return }
        let line = LineBuffer(capacity: 256)
        AccessLine.append(
            handshake, at: system.wallNanoseconds() / 1_000_000, as: writer.format, to: line)
        writer.add(line)
    }
}

/// The lines of one loop, used only on its thread, so that it never waits for others.
final class AccessLogBuffer {
    private let log: AccessLog
    private let loop: EventLoop
    private var buffer = LineBuffer(capacity: LogWriter.bufferBytes)
    private var isScheduled = false
    private var dateSeconds: Int64 = -1
    private var date: [UInt8] = []
    private static let delayMilliseconds: Int64 = 50

    init(_ log: AccessLog, _ loop: EventLoop) {
        self.log = log
        self.loop = loop
    }

    func append(_ exchange: borrowing ExchangeRecord) {
        guard log.shows(exchange.status) else { return }
        switch log.writer.format {
        case .json: AccessLine.appendJSON(exchange, to: buffer)
        case .text:
            AccessLine.appendText(
                exchange, date: date(at: exchange.finishedMilliseconds / 1_000), to: buffer)
        }
        if buffer.count >= LogWriter.batchBytes {
            handOver()
        } else if !isScheduled {
            isScheduled = true
            loop.schedule(afterMilliseconds: Self.delayMilliseconds) { [self] in
                isScheduled = false
                handOver()
            }
        }
    }

    /// Passes the collected lines to the writer.
    func handOver() {
        if buffer.count > 0 { buffer = log.writer.exchange(buffer) }
    }

    /// Formatted once a second.
    private func date(at seconds: Int64) -> [UInt8] {
        if seconds != dateSeconds {
            dateSeconds = seconds
            date = Array(HTTPDate.text(seconds).utf8)
        }
        return date
    }
}

/// Formats lines of the access log. Of a request they contain only method, path and query, never
/// its fields, and of the query no value that could be a secret.
enum AccessLine {
    /// `{"time":1795252355903,"id":"…","peer":"127.0.0.1:5000",
    /// "key":"0123456789abcdef","protocol":"HTTP/1.1","method":"GET","target":"/v1/articles",
    /// "route":"/v1/articles","status":200,"bytes":738,"microseconds":85}`; `trace`, `key` and
    /// `user` are left out if there are none.
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
        if let key = exchange.sender?.key {
            line.append(#"","key":""#)
            line.append(escaping: key)
        }
        if let user = exchange.sender?.user {
            line.append(#"","user":""#)
            line.append(escaping: user)
        }
        if let method = exchange.method {
            line.append(#"","protocol":""#)
            line.append(name(of: exchange.version))
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

    private static func name(of version: HTTPVersion) -> StaticString {
        switch version {
        case .http10: "HTTP/1.0"
        case .http11: "HTTP/1.1"
        case .http2: "HTTP/2"
        }
    }

    /// `Sat, 21 Nov 2026 09:12:35 GMT 127.0.0.1:5000 GET /v1/articles 200 738 B 85 µs id`; the
    /// target is followed by `HTTP/2` where it applies, the id by that of a trace, `key=…` and
    /// `user=…`.
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
        if exchange.version == .http2 {
            line.append(name(of: .http2))
            line.append(" ")
        }
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
        if let key = exchange.sender?.key {
            line.append(" key=")
            line.append(key)
        }
        if let user = exchange.sender?.user {
            line.append(" user=")
            line.append(user)
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

    /// Returns true if the name contains one of the words, ignoring case. A percent-encoded name
    /// counts as containing them.
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
