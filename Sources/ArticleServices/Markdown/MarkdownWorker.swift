import CMarkdown
import Glibc
import Network

/// A process of our own program that renders Markdown, and ends with its owner.
///
/// One thread has it at a time.
final class MarkdownWorker: Sendable {
    /// What became of a text.
    enum Outcome: Sendable {
        case rendered([UInt8])
        case refused(broadsheet_markdown_outcome)
        /// It said nothing, or ended without an answer.
        case lost
        /// It used up the clock's time.
        case stuck
    }

    private let process: ChildProcess
    private let socket: Int32

    /// Starts the process: in a group of its own, so that an interrupt from the
    /// terminal lets it finish; without the environment, which may hold a key.
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

    /// Ends the process, whatever it does.
    func end() { kill(process.id, SIGKILL) }

    deinit {
        close(socket)
        end()
        _ = process.wait()
    }

    /// Renders a text. After any outcome but `.rendered`, `.refused` for its depth or its length,
    /// the process is of no more use.
    func render(_ text: String, _ limits: MarkdownLimits) -> Outcome {
        var text = text
        let isSent = text.withUTF8 { bytes in
            var request = broadsheet_markdown_request(
                text_bytes: UInt32(bytes.count), output_bytes: UInt32(limits.outputBytes),
                memory_bytes: UInt32(limits.memoryBytes), depth: UInt32(limits.depth),
                milliseconds: UInt32(limits.milliseconds))
            return withUnsafeBytes(of: &request, send) && send(UnsafeRawBufferPointer(bytes))
        }
        var head = broadsheet_markdown_answer()
        guard isSent, withUnsafeMutableBytes(of: &head, receive) else {
            return errno == EAGAIN ? .stuck : .lost
        }
        let outcome = broadsheet_markdown_outcome(head.outcome)
        guard outcome == BROADSHEET_MARKDOWN_RENDERED else { return .refused(outcome) }
        guard head.html_bytes <= limits.outputBytes else { return .lost }
        let html = [UInt8](unsafeUninitializedCapacity: Int(head.html_bytes)) { bytes, count in
            let room = UnsafeMutableRawBufferPointer(bytes.extracting(..<Int(head.html_bytes)))
            count = receive(room) ? Int(head.html_bytes) : 0
        }
        return html.count == Int(head.html_bytes) ? .rendered(html) : .lost
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

    private func receive(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeMutableRawBufferPointer(rebasing: rest)
            let count = recv(socket, part.baseAddress, part.count, 0)
            if count < 0, errno == EINTR { continue }
            if count == 0 { errno = 0 }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func start(on socket: Int32) throws(SystemError) -> ChildProcess {
        let libraries = getenv("LD_LIBRARY_PATH").map { "LD_LIBRARY_PATH=\(String(cString: $0))" }
        return try ChildProcess(
            "/proc/self/exe", [BROADSHEET_MARKDOWN_WORKER],
            environment: libraries.map { [$0] } ?? [], input: socket, inOwnGroup: true)
    }
}
