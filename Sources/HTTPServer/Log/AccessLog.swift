import Dispatch
import Glibc
import Network

/// Writes a line for each answer: readable on a terminal, otherwise one JSON object.
///
/// Lines gather in memory and go out together, on a queue of the log's own. What cannot be written
/// in time is dropped, and counted in a line of its own.
public final class AccessLog: ExchangeObserver {
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

    private struct State {
        var lines: [UInt8] = []
        var dropped = 0
        var isScheduled = false
    }

    private let descriptor: Int32
    private let format: Format
    private let limitBytes: Int
    private let state = Lock(State())
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

    public func finished(_ exchange: borrowing ExchangeRecord) {
        let schedules = state.withLock { state in
            if state.lines.count < limitBytes {
                switch format {
                case .json: AccessLine.appendJSON(exchange, to: &state.lines)
                case .text: AccessLine.appendText(exchange, to: &state.lines)
                }
            } else {
                state.dropped += 1
            }
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard schedules else { return }
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
