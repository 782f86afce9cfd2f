import Glibc
import TestSupport

/// The binary with a shell's work before it: mounts of its own, or a tracer around it.
enum Shell {
    /// Whether a namespace of mounts can be had (as root).
    static let canMount = succeeds("unshare --mount true")

    /// Whether system calls can be made to fail.
    static let canTrace = succeeds("strace -D -qq -o /dev/null -e inject=sync:error=EIO true")

    private static func succeeds(_ script: String) -> Bool {
        guard let shell = try? RunningProgram("/bin/sh", ["-c", "\(script) >/dev/null 2>&1"])
        else { return false }
        return shell.wait() == 0
    }

    /// Runs the script, which ends with the binary; `$binary` and `$folder` are set in it.
    static func start(_ script: String, folder: String) throws -> RunningProgram {
        try RunningProgram(
            "/bin/sh", ["-e", "-c", script],
            environment: [
                "binary": Program.path(), "folder": folder,
                "BROADSHEET_ADMIN_KEY": Served.adminKey,
            ])
    }

    /// The same with mounts that nobody else sees, and that end with the program.
    static func startWithMounts(_ script: String, folder: String) throws -> RunningProgram {
        try start("exec unshare --mount /bin/sh -e -c '\(script)'", folder: folder)
    }
}
