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

    let process: ChildProcess
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
        guard request(text, limits).withUnsafeBytes(send) else { return failure }
        // Head and HTML come together, as a rule.
        let first = [UInt8](unsafeUninitializedCapacity: 16 << 10) { bytes, count in
            let room = UnsafeMutableRawBufferPointer(bytes)
            count = receive(room, atLeast: MemoryLayout<broadsheet_markdown_answer>.size)
        }
        let head = first.withUnsafeBytes { bytes in
            bytes.count < MemoryLayout<broadsheet_markdown_answer>.size
                ? nil : bytes.loadUnaligned(as: broadsheet_markdown_answer.self)
        }
        guard let head else { return failure }
        let outcome = broadsheet_markdown_outcome(head.outcome)
        guard outcome == BROADSHEET_MARKDOWN_RENDERED else { return .refused(outcome) }
        let count = Int(head.html_bytes)
        let come = first[MemoryLayout<broadsheet_markdown_answer>.size...]
        guard count <= limits.outputBytes, come.count <= count else { return .lost }
        let html = [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            _ = bytes.update(fromContentsOf: come)
            let room = UnsafeMutableRawBufferPointer(bytes.extracting(come.count..<count))
            filled = come.count + receive(room, atLeast: room.count)
        }
        return html.count == count ? .rendered(html) : .lost
    }

    /// What is sent for a text: in one piece, which wakes the process once.
    private func request(_ text: String, _ limits: MarkdownLimits) -> [UInt8] {
        let head = broadsheet_markdown_request(
            text_bytes: UInt32(text.utf8.count), output_bytes: UInt32(limits.outputBytes),
            memory_bytes: UInt32(limits.memoryBytes), depth: UInt32(limits.depth),
            milliseconds: UInt32(limits.milliseconds))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(MemoryLayout.size(ofValue: head) + text.utf8.count)
        withUnsafeBytes(of: head) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: text.utf8)
        return bytes
    }

    /// What the last call on the connection ended with.
    private var failure: Outcome { errno == EAGAIN ? .stuck : .lost }

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

    /// Reads at least so many bytes, as long as they come; gives how many it has.
    private func receive(_ bytes: UnsafeMutableRawBufferPointer, atLeast least: Int) -> Int {
        var filled = 0
        while filled < least {
            let part = UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
            let count = recv(socket, part.baseAddress, part.count, 0)
            if count < 0, errno == EINTR { continue }
            if count == 0 { errno = 0 }
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }

    private static func start(on socket: Int32) throws(SystemError) -> ChildProcess {
        let libraries = getenv("LD_LIBRARY_PATH").map { "LD_LIBRARY_PATH=\(String(cString: $0))" }
        return try ChildProcess(
            "/proc/self/exe", [BROADSHEET_MARKDOWN_WORKER],
            environment: libraries.map { [$0] } ?? [], input: socket, inOwnGroup: true)
    }
}
