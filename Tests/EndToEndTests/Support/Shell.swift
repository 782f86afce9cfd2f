import BroadsheetTestSupport
import Glibc

/// Runs the binary from a shell script, for example with mounts or a tracer.
enum Shell {
    /// True if a mount namespace can be created (as root).
    static let canMount = succeeds("unshare --mount true")

    /// True if failing system calls can be injected.
    static let canTrace = succeeds("strace -D -qq -o /dev/null -e inject=sync:error=EIO true")

    /// Returns true if a command exists.
    static func has(_ command: String) -> Bool { succeeds("command -v \(command)") }

    static func succeeds(_ script: String) -> Bool {
        guard let shell = try? RunningProgram("/bin/sh", ["-c", "\(script) >/dev/null 2>&1"])
        else { return false }
        return shell.wait() == 0
    }

    /// Starts a script of `Tests/Tools` with Debian's Python, which has the modules of packages.
    static func startTool(_ name: String, _ arguments: [String]) throws -> RunningProgram {
        let tests = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return try RunningProgram(
            "/usr/bin/python3", ["-B", "/\(tests)/Tools/\(name)"] + arguments)
    }

    /// Runs the script, which ends with starting `$binary`; `$folder` is set as well.
    static func start(_ script: String, folder: String) throws -> RunningProgram {
        try RunningProgram(
            "/bin/sh", ["-e", "-c", script],
            environment: [
                "binary": Program.path(), "folder": folder,
                "BROADSHEET_ADMIN_KEY": RunningServer.adminKey,
            ])
    }

    /// Runs the script with private mounts, which disappear with the program.
    static func startWithMounts(_ script: String, folder: String) throws -> RunningProgram {
        try start("exec unshare --mount /bin/sh -e -c '\(script)'", folder: folder)
    }
}
