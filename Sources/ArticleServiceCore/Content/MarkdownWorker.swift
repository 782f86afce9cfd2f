import BroadsheetMarkup
import BroadsheetPlatform
import CBroadsheetMarkdown
import Glibc

/// A subprocess of this program that renders Markdown, and exits with its parent.
///
/// Only one thread may use it at a time.
final class MarkdownWorker: Sendable {
    /// The outcome of rendering a text.
    enum Outcome: Sendable {
        case rendered([UInt8])
        case rejected(broadsheet_markdown_outcome)
        /// It exited without a response.
        case lost
        /// It did not respond in time.
        case stuck

        /// True if the process can be used again.
        var keepsWorker: Bool {
            switch self {
            case .rendered, .rejected(BROADSHEET_MARKDOWN_TOO_DEEP),
                .rejected(BROADSHEET_MARKDOWN_TOO_LONG):
                true
            case .rejected, .lost, .stuck: false
            }
        }
    }

    let process: ChildProcess
    private let socket: Int32
    /// The exit status of the process, once that is known (`wait(2)`).
    private let status = Lock<Int32?>(nil)

    /// Starts the process in its own process group, so that an interrupt from the terminal does not
    /// stop it, and without the environment, which may contain a key.
    init(patienceSeconds: Int) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        _ = try retrying("socketpair") { socketpair(AF_UNIX, type, 0, &ends) }
        defer { close(ends[1]) }
        do throws(SystemError) {
            process = try Self.start(on: ends[1])
        } catch {
            close(ends[0])
            throw error
        }
        socket = ends[0]
        var patience = timeval(tv_sec: patienceSeconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
    }

    /// Kills the process.
    package func end() { kill(process.id, SIGKILL) }

    /// Waits for the end of a process that was lost: `was ended by SIGSYS`.
    func describeEnd() -> String {
        let status = waitForEnd()
        guard status & 0x7F != 0 else { return "exited with status \(status >> 8 & 0xFF)" }
        return "was ended by \(Self.names[status & 0x7F] ?? "signal \(status & 0x7F)")"
    }

    private static let names = [
        SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGILL: "SIGILL",
        SIGKILL: "SIGKILL", SIGSEGV: "SIGSEGV", SIGSYS: "SIGSYS", SIGTERM: "SIGTERM",
        SIGTRAP: "SIGTRAP",
    ]

    /// Only once, as another process may have its number then.
    private func waitForEnd() -> Int32 {
        status.withLock { status in
            let result = status ?? process.wait()
            status = result
            return result
        }
    }

    deinit {
        close(socket)
        if status.withLock({ $0 }) == nil { end() }
        _ = waitForEnd()
    }

    /// Renders texts independently. They are sent together, which wakes the process only once.
    ///
    /// After any outcome other than `.rendered` and `.rejected` for depth or length, the process is
    /// no longer usable, and there are no further outcomes.
    ///
    /// - Parameters:
    ///   - texts: several only if they are small enough to fit in a socket buffer.
    ///   - take: receives the outcomes in the order of the texts.
    package func render(_ texts: [String], _ limits: MarkdownLimits, _ take: (Outcome) -> Void) {
        var incoming = Incoming(socket: socket)
        guard request(texts, limits).withUnsafeBytes(send) else {
            return take(errno == EAGAIN ? .stuck : .lost)
        }
        for _ in texts {
            let outcome = outcome(from: &incoming, limits)
            take(outcome)
            guard outcome.keepsWorker else { return }
        }
    }

    /// Renders one text.
    package func render(_ text: String, _ limits: MarkdownLimits) -> Outcome {
        var found = Outcome.lost
        render([text], limits) { found = $0 }
        return found
    }

    private func outcome(from incoming: inout Incoming, _ limits: MarkdownLimits) -> Outcome {
        let size = MemoryLayout<broadsheet_markdown_response>.size
        guard let bytes = incoming.take(size) else { return incoming.failure }
        let head = bytes.withUnsafeBytes {
            $0.loadUnaligned(as: broadsheet_markdown_response.self)
        }
        let outcome = broadsheet_markdown_outcome(head.outcome)
        guard outcome == BROADSHEET_MARKDOWN_RENDERED else { return .rejected(outcome) }
        guard head.html_bytes <= limits.outputBytes else {
            end()
            return .lost
        }
        guard let html = incoming.take(Int(head.html_bytes)) else { return incoming.failure }
        return .rendered(html)
    }

    /// The requests for the texts as one message.
    private func request(_ texts: [String], _ limits: MarkdownLimits) -> [UInt8] {
        let headBytes = MemoryLayout<broadsheet_markdown_request>.size
        var bytes: [UInt8] = []
        bytes.reserveCapacity(texts.reduce(0) { $0 + headBytes + $1.utf8.count })
        for text in texts {
            let head = broadsheet_markdown_request(
                text_bytes: UInt32(text.utf8.count), output_bytes: UInt32(limits.outputBytes),
                memory_bytes: UInt32(limits.memoryBytes), depth: UInt32(limits.depth),
                milliseconds: UInt32(limits.milliseconds))
            withUnsafeBytes(of: head) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: text.utf8)
        }
        return bytes
    }

    private func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.send(socket, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// The bytes received from the process.
    private struct Incoming {
        let socket: Int32
        /// Received bytes; those before `start` have been consumed.
        private var bytes: [UInt8] = []
        private var start = 0
        /// The reason why no more bytes were received.
        private(set) var failure = Outcome.lost
        private static let chunkBytes = 32 << 10

        init(socket: Int32) { self.socket = socket }

        /// The next `count` bytes; `nil` if they are not received.
        mutating func take(_ count: Int) -> [UInt8]? {
            var taken: [UInt8] = []
            taken.reserveCapacity(count)
            while taken.count < count {
                guard start < bytes.count || receive() else { return nil }
                let part = bytes[start...].prefix(count - taken.count)
                taken += part
                start = part.endIndex
            }
            return taken
        }

        private mutating func receive() -> Bool {
            var outcome = 0
            bytes = [UInt8](unsafeUninitializedCapacity: Self.chunkBytes) { [socket] room, count in
                repeat {
                    outcome = recv(socket, room.baseAddress, room.count, 0)
                } while outcome < 0 && errno == EINTR
                if outcome < 0, errno == EAGAIN { outcome = Self.timedOut }
                count = max(outcome, 0)
            }
            start = 0
            if outcome == Self.timedOut { failure = .stuck }
            return outcome > 0
        }

        private static let timedOut = -2
    }

    private static func list(_ schemes: [String]) -> String {
        " \(schemes.joined(separator: " ")) "
    }

    private static func start(on socket: Int32) throws(SystemError) -> ChildProcess {
        let libraries = getenv("LD_LIBRARY_PATH").map { "LD_LIBRARY_PATH=\(String(cString: $0))" }
        return try ChildProcess(
            "/proc/self/exe",
            [BROADSHEET_MARKDOWN_WORKER, list(LinkSchemes.links), list(LinkSchemes.images)],
            environment: libraries.map { [$0] } ?? [], input: socket, inOwnGroup: true)
    }
}
