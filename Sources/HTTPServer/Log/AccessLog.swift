import Glibc
import HTTP
import Platform
import Sockets
import Synchronization

/// Logs a line for each response: readable text on a terminal, otherwise one JSON object.
///
/// Each loop collects the lines of its connections in its own buffer and passes them to the writer
/// together.
public final class AccessLog: HandshakeObserver {
    /// The format of a line.
    public enum Format: Sendable {
        case json
        /// Readable text.
        case text

        /// The format that suits the descriptor (`isatty(3)`).
        public static func suiting(_ descriptor: Int32) -> Format {
            isatty(descriptor) == 1 ? .text : .json
        }
    }

    /// How much is logged.
    public enum Detail: Int, Sendable, Comparable {
        /// Responses with status 500 and above.
        case failures
        /// All responses.
        case answers
        /// All responses and failed handshakes.
        case everything

        public static func < (left: Detail, right: Detail) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    let writer: LogWriter
    private let shown = Atomic(Detail.answers.rawValue)

    /// - Parameter writer: Determines the format of the lines.
    public init(_ writer: LogWriter) { self.writer = writer }

    /// Sets how much is logged from now on.
    public var detail: Detail {
        get { Detail(rawValue: shown.load(ordering: .relaxed)) ?? .answers }
        set { shown.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Whether a response with this status is logged.
    func shows(_ status: HTTPStatus) -> Bool {
        shown.load(ordering: .relaxed) > Detail.failures.rawValue || status.code >= 500
    }

    public func ended(_ handshake: borrowing HandshakeRecord) {
        guard detail == .everything, case .failed = handshake.outcome else { return }
        let line = LineBuffer(capacity: 256)
        AccessLine.append(
            handshake, at: SystemClock.wallNanoseconds / 1_000_000, as: writer.format, to: line)
        writer.add(line)
    }
}

/// The lines of one loop, used only on its thread, so that it never waits for others.
final class AccessLines {
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
