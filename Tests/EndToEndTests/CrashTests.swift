import Glibc
import TestSupport
import Testing

/// Reports of crashes. `make build` strips the symbols from the binary, and leaves them beside it.
@Suite(.mayBlock) struct CrashTests {
    @Test func `a crash names the functions that were running`() throws {
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
        // This waits until the program has opened its end, from which it reads.
        let end = open(path, O_WRONLY | O_CLOEXEC)
        try #require(end >= 0)
        defer { close(end) }
        program.signal(SIGSEGV)
        var report: [String] = []
        while let line = program.errors.next() {
            report.append(line)
            if line.contains("GenerationInput.read()") { break }
        }
        program.signal(SIGKILL)
        #expect(report.last?.contains("GenerationInput.read()") == true, "\(report)")
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
