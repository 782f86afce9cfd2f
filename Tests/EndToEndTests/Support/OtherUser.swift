import Glibc
import TestSupport

/// A user who owns nothing here, for tests of whose files are whose (as root).
enum OtherUser {
    static let number: uid_t = 65_534
    static let isAvailable = geteuid() == 0

    /// Starts the binary as that user, or as who runs the tests where that is not root.
    static func start(_ arguments: [String]) throws -> RunningProgram {
        guard isAvailable else { return try Program.start(arguments) }
        return try RunningProgram(
            "/usr/bin/setpriv",
            ["--reuid=\(number)", "--regid=\(number)", "--clear-groups", Program.path()]
                + arguments,
            environment: ["BROADSHEET_ADMIN_KEY": Served.adminKey])
    }

    /// Makes a file or folder that user's.
    static func give(_ path: String) throws {
        guard chown(path, number, number) == 0 else { throw TestFailure("chown \(path)") }
    }

    /// Whose it is, and who may do what.
    static func owner(_ path: String) throws -> (user: uid_t, group: gid_t, mode: mode_t) {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw TestFailure("\(path) is not there") }
        return (status.st_uid, status.st_gid, status.st_mode & 0o777)
    }
}
