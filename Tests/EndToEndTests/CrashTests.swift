import BroadsheetTestSupport
import Glibc
import Testing

/// Reports of crashes. `make build` strips the symbols from the binary, and leaves them beside it.
@Suite(.mayBlock) struct CrashTests {
    @Test func `a crash names the functions that were running`() async throws {
        let backtrace = try #require(
            try Self.backtraceProgram(), "swift-backtrace is not in the toolchain")
        let folder = try TemporaryFolder()
        let path = folder.file("sample.json")
        try #require(mkfifo(path, 0o600) == 0)
        let program = try Program.start(
            ["generate", "swift", "Forecast", path],
            environment: [
                "SWIFT_BACKTRACE":
                    "enable=yes,interactive=no,color=no,swift-backtrace=\(backtrace)"
            ])
        // This waits until the program has opened its end.
        let end = open(path, O_WRONLY | O_CLOEXEC)
        try #require(end >= 0)
        defer { close(end) }
        try #require(write(end, "{", 1) == 1)
        let waitsForMore = await eventually {
            var unread: Int32 = 0
            return ioctl(end, UInt(FIONREAD), &unread) == 0 && unread == 0
                && Self.sleeps(program.processID)
        }
        try #require(waitsForMore)
        program.signal(SIGSEGV)
        let function = "Files.read(descriptor:_:limitBytes:)"
        var report: [String] = []
        while let line = program.errors.next() {
            report.append(line)
            if line.contains(function) || line == "Registers:" { break }
        }
        program.signal(SIGKILL)
        #expect(report.last?.contains(function) == true, "\(report)")
    }

    /// Returns true if a process waits in a system call (proc_pid_stat(5)).
    private static func sleeps(_ process: pid_t) -> Bool {
        guard let file = fopen("/proc/\(process)/stat", "r") else { return false }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, 256, file) != nil else { return false }
        return String(decoding: line.map(UInt8.init(bitPattern:)), as: UTF8.self)
            .contains(") S ")
    }

    /// The toolchain's program that reports crashes. A statically linked binary does not find it.
    private static func backtraceProgram() throws -> String? {
        let shell = try RunningProgram(
            "/bin/sh", ["-c", "dirname \"$(dirname \"$(realpath \"$(command -v swift)\")\")\""])
        guard let toolchain = shell.output.next() else { return nil }
        let path = "\(toolchain)/libexec/swift/linux/swift-backtrace-static"
        return access(path, X_OK) == 0 ? path : nil
    }
}
