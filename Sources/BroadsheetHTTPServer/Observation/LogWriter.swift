import BroadsheetPlatform
import Dispatch
import Glibc

/// Writes lines to a descriptor on its own thread, the only one that a stalled reader can block.
///
/// Lines are written in their order. The queue is bounded; excess lines are dropped and counted in
/// a line of their own. Safe to use from any thread; only `write(_:withinSeconds:)` and `flush`
/// wait.
///
/// ```swift
/// let writer = LogWriter(descriptor: descriptor, format: .preferred(descriptor))
/// writer.write("ready\n")
/// let isWritten = writer.flush(withinSeconds: 10)
/// ```
public final class LogWriter: Sendable {
    private struct State {
        var waiting: [LineBuffer] = []
        /// The bytes of these lines and of those being written.
        var waitingBytes = 0
        var spare: [LineBuffer] = []
        var isWriting = false
        /// Since the last line that reported dropped lines.
        var dropped = 0
        var droppedInAll = 0
    }

    let format: AccessLog.Format
    private let descriptor: Int32
    private let limitBytes: Int
    private let state = Lock(State())
    private let queue = DispatchQueue(label: "broadsheet.log")
    // Used only on `queue`: whether the last written line is incomplete.
    private nonisolated(unsafe) var isTorn = false
    private let lineEnd = LineBuffer("\n")
    /// Extra room for messages besides the access log: they are few, and matter most under load.
    private static let messageBytes = 256 << 10
    private static let limitSpare = 8
    /// Lines are passed to the writer in batches of this size.
    static let batchBytes = 64 << 10
    /// Includes room for the line that exceeds the batch size.
    static let bufferBytes = batchBytes + (8 << 10)

    /// - Parameters:
    ///   - descriptor: The file to write to; the caller keeps ownership.
    ///   - format: The format of the line that reports dropped lines.
    ///   - limitBytes: The maximum bytes that may wait to be written.
    public init(descriptor: Int32, format: AccessLog.Format, limitBytes: Int = 4 << 20) {
        self.descriptor = descriptor
        self.format = format
        self.limitBytes = limitBytes
    }

    /// Lines that were not written because the queue was full or writing failed.
    public var droppedLines: Int { state.withLock { $0.droppedInAll } }

    /// Enqueues lines, which include their line endings. It never waits.
    public func write(_ text: String) {
        take(LineBuffer(text), limitBytes: limitBytes + Self.messageBytes)
    }

    /// Writes lines and returns whether they were written in time.
    public func write(_ text: String, withinSeconds seconds: Double) -> Bool {
        let isWritten = Lock(false)
        let done = DispatchSemaphore(value: 0)
        queue.async {
            let count = self.put(LineBuffer(text))
            isWritten.withLock { $0 = count == text.utf8.count }
            done.signal()
        }
        return done.wait(timeout: .now() + seconds) == .success && isWritten.withLock { $0 }
    }

    /// Waits until all lines so far are written, up to the timeout.
    /// - Returns: True if they were written.
    @discardableResult
    public func flush(withinSeconds seconds: Double) -> Bool {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        return done.wait(timeout: .now() + seconds) == .success
    }

    /// Enqueues lines of the access log.
    func add(_ buffer: LineBuffer) { take(buffer, limitBytes: limitBytes) }

    /// The same for a loop, which receives an empty buffer in return.
    func exchange(_ buffer: LineBuffer) -> LineBuffer {
        guard take(buffer, limitBytes: limitBytes) else {
            buffer.removeAll()
            return buffer
        }
        return state.withLock { $0.spare.popLast() } ?? LineBuffer(capacity: Self.bufferBytes)
    }

    /// - Returns: True if the writer took the buffer; otherwise its lines are dropped.
    @discardableResult
    private func take(_ buffer: LineBuffer, limitBytes: Int) -> Bool {
        let (isTaken, starts) = state.withLock { state in
            guard state.waitingBytes < limitBytes else {
                state.dropped += buffer.lines
                state.droppedInAll += buffer.lines
                return (false, false)
            }
            state.waiting.append(buffer)
            state.waitingBytes += buffer.count
            defer { state.isWriting = true }
            return (true, !state.isWriting)
        }
        if starts { queue.async { self.drain() } }
        return isTaken
    }

    // MARK: On the writer's thread

    private func drain() {
        while let buffers = takeWaiting() {
            for buffer in buffers { write(buffer) }
            reportDropped()
        }
    }

    /// `nil` when the queue is empty.
    private func takeWaiting() -> [LineBuffer]? {
        state.withLock { state in
            state.isWriting = !state.waiting.isEmpty
            guard state.isWriting else { return nil }
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    private func write(_ buffer: LineBuffer) {
        let written = put(buffer)
        let lost = buffer.bytes[written...].reduce(0) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
        state.withLock { state in
            state.waitingBytes -= buffer.count
            state.dropped += lost
            state.droppedInAll += lost
            // Messages have buffers of their own size.
            guard buffer.capacity == Self.bufferBytes, state.spare.count < Self.limitSpare
            else { return }
            buffer.removeAll()
            state.spare.append(buffer)
        }
    }

    private func reportDropped() {
        let count = state.withLock { state in
            defer { state.dropped = 0 }
            return state.dropped
        }
        guard count > 0 else { return }
        let line =
            switch format {
            case .json: LineBuffer(#"{"droppedLines":\#(count)}\#n"#)
            case .text:
                LineBuffer("\(count.counted("line")) \(count == 1 ? "was" : "were") dropped\n")
            }
        guard put(line) == 0 else { return }
        // The next lines report it.
        state.withLock { $0.dropped += count }
    }

    /// An unwritable log is no reason to stop serving, so lines that fail are dropped.
    /// - Returns: The number of bytes written.
    private func put(_ buffer: LineBuffer) -> Int {
        if isTorn { isTorn = put(lineEnd.bytes) == 0 }
        guard !isTorn else { return 0 }
        let written = put(buffer.bytes)
        isTorn = written > 0 && buffer.bytes[written - 1] != UInt8(ascii: "\n")
        return written
    }

    private func put(_ bytes: UnsafeRawBufferPointer) -> Int {
        var written = 0
        // Invariant: the first `written` bytes are written.
        while written < bytes.count {
            let count = Glibc.write(
                descriptor, bytes.baseAddress! + written, bytes.count - written)
            if count > 0 {
                written += count
            } else if errno == EAGAIN {
                // Another process that shares the descriptor made it non-blocking.
                var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&writable, 1, -1)
            } else if errno != EINTR {
                break
            }
        }
        return written
    }
}
