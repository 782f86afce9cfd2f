import Dispatch
import Glibc
import HTTP
import Network
import Synchronization

/// Writes a line for each answer: readable on a terminal, otherwise one JSON object.
///
/// Lines gather in memory and go out together, on a queue of the log's own. What cannot be written
/// in time is dropped, and counted in a line of its own.
public final class AccessLog: ExchangeObserver, HandshakeObserver {
    /// How a line looks.
    public enum Format: Sendable {
        case json
        /// For people.
        case text

        /// What suits the descriptor (`isatty(3)`).
        public static func suiting(_ descriptor: Int32) -> Format {
            isatty(descriptor) == 1 ? .text : .json
        }
    }

    /// How much is written.
    public enum Detail: Int, Sendable, Comparable {
        /// Answers of 500 and more.
        case failures
        /// All answers.
        case answers
        /// And handshakes that failed.
        case everything

        public static func < (left: Detail, right: Detail) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    private struct State {
        var lines: [UInt8] = []
        var dropped = 0
        var isScheduled = false

        /// Whether the caller is the one to have it written.
        mutating func schedules() -> Bool {
            defer { isScheduled = true }
            return !isScheduled
        }
    }

    private let descriptor: Int32
    private let format: Format
    private let limitBytes: Int
    private let state = Lock(State())
    private let shown = Atomic(Detail.answers.rawValue)
    private let queue = DispatchQueue(label: "broadsheet.access-log")
    private static let delay = DispatchTimeInterval.milliseconds(50)

    /// - Parameters:
    ///   - descriptor: where to write; it stays the caller's.
    ///   - limitBytes: how much may wait to be written.
    public init(descriptor: Int32, format: Format, limitBytes: Int = 1 << 20) {
        self.descriptor = descriptor
        self.format = format
        self.limitBytes = limitBytes
    }

    /// How much is written from now on.
    public var detail: Detail {
        get { Detail(rawValue: shown.load(ordering: .relaxed)) ?? .answers }
        set { shown.store(newValue.rawValue, ordering: .relaxed) }
    }

    public func finished(_ exchange: borrowing ExchangeRecord) {
        guard exchange.status.code >= 500 || detail > .failures else { return }
        let schedules = state.withLock { state in
            if state.lines.count < limitBytes {
                switch format {
                case .json: AccessLine.appendJSON(exchange, to: &state.lines)
                case .text: AccessLine.appendText(exchange, to: &state.lines)
                }
            } else {
                state.dropped += 1
            }
            return state.schedules()
        }
        if schedules { writeSoon() }
    }

    public func ended(_ handshake: borrowing HandshakeRecord) {
        guard detail == .everything, case .failed = handshake.outcome else { return }
        var line: [UInt8] = []
        AccessLine.append(
            handshake, at: SentAnswer.wallMilliseconds, as: format, to: &line)
        let schedules = state.withLock { state in
            if state.lines.count < limitBytes { state.lines += line } else { state.dropped += 1 }
            return state.schedules()
        }
        if schedules { writeSoon() }
    }

    private func writeSoon() {
        queue.asyncAfter(deadline: .now() + Self.delay) { self.write() }
    }

    /// Writes what is waiting, before it returns.
    public func flush() {
        queue.sync { write() }
    }

    private func write() {
        let (lines, dropped) = state.withLock { state in
            let taken = (state.lines, state.dropped)
            state = State()
            return taken
        }
        put(lines)
        guard dropped > 0 else { return }
        switch format {
        case .json: put(Array(#"{"droppedLines":\#(dropped)}\#n"#.utf8))
        case .text: put(Array("\(dropped) lines were dropped\n".utf8))
        }
    }

    /// A log that cannot be written is no reason to stop serving: what fails is let go.
    private func put(_ bytes: [UInt8]) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 || errno == EINTR else { return }
            written += max(0, count)
        }
    }
}
