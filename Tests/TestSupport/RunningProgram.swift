import BroadsheetPlatform
import CBroadsheetLinux
import Glibc

/// A program started by a test. Its output is read line by line; it is killed when its owner is
/// released.
public final class RunningProgram: Sendable {
    public let processID: Int32
    public let output: Lines
    public let errors: Lines
    private let ended = Lock<Int32?>(nil)

    /// - Parameter descriptors: Descriptors that it inherits, numbered from 3 on.
    public init(
        _ path: String, _ arguments: [String] = [], environment: [String: String] = [:],
        passing descriptors: [Int32] = []
    ) throws(TestFailure) {
        var out: [Int32] = [0, 0]
        var err: [Int32] = [0, 0]
        guard broadsheet_pipe(&out) == 0, broadsheet_pipe(&err) == 0 else {
            throw .system("pipe")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, out[1], 1)
        posix_spawn_file_actions_adddup2(&actions, err[1], 2)
        // Duplicated to high numbers first, so that they do not overwrite each other.
        let copies = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, 200) }
        defer { for copy in copies { close(copy) } }
        for (index, copy) in copies.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, copy, 3 + Int32(index))
        }
        // Other tests' descriptors would count against the program's limit.
        _ = broadsheet_close_from(&actions, 3 + Int32(copies.count))
        var variables = Self.inherited
        for (name, value) in environment { variables[name] = value }
        var process: pid_t = 0
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let settings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + settings { free(text) } }
        let code = posix_spawn(&process, path, &actions, nil, words, settings)
        close(out[1])
        close(err[1])
        output = Lines(out[0])
        errors = Lines(err[0])
        processID = process
        guard code == 0 else { throw TestFailure("posix_spawn \(path): error \(code)") }
    }

    deinit {
        guard ended.withLock({ $0 }) == nil, processID > 0 else { return }
        kill(processID, SIGKILL)
        var status: Int32 = 0
        waitpid(processID, &status, 0)
    }

    private static var inherited: [String: String] {
        var variables: [String: String] = [:]
        let names = [
            "PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "LSAN_OPTIONS",
            "TSAN_OPTIONS", "SWIFT_BACKTRACE",
        ]
        for name in names {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        return variables
    }

    public func signal(_ number: Int32) { kill(processID, number) }

    /// Waits for the end; returns the exit status, or 128 plus the signal's number.
    @discardableResult
    public func wait() -> Int32 {
        ended.withLock { ended in
            if let ended { return ended }
            var status: Int32 = 0
            while waitpid(processID, &status, 0) == -1, errno == EINTR {}
            let signal = status & 0x7F
            let result = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
            ended = result
            return result
        }
    }

    /// The lines of one of the program's outputs.
    public final class Lines: Sendable {
        private let descriptor: Int32
        private let pending = Lock([UInt8]())

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }

        /// The next line without its line ending; `nil` at the end of the output or after the
        /// timeout.
        public func next(timeoutSeconds: Int = Patience.seconds) -> String? {
            pending.withLock { pending in
                while true {
                    if let end = pending.firstIndex(of: 0x0A) {
                        let line = String(decoding: pending[..<end], as: UTF8.self)
                        pending.removeFirst(end + 1)
                        return line
                    }
                    var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    guard poll(&poller, 1, Int32(timeoutSeconds) * 1_000) > 0 else { return nil }
                    var bytes = [UInt8](repeating: 0, count: 4_096)
                    let count = read(descriptor, &bytes, bytes.count)
                    guard count > 0 else {
                        defer { pending = [] }
                        return pending.isEmpty ? nil : String(decoding: pending, as: UTF8.self)
                    }
                    pending += bytes.prefix(count)
                }
            }
        }

        /// All lines until the output ends.
        public func rest() -> [String] {
            var lines: [String] = []
            while let line = next() { lines.append(line) }
            return lines
        }
    }
}
