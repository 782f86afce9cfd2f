import BroadsheetTestSupport
import Glibc

/// A user without files, for tests of file ownership (as root).
enum OtherUser {
    static let number: uid_t = 65_534
    static let isAvailable = geteuid() == 0

    /// Starts the binary as that user, or as the current user if that is not root.
    static func start(_ arguments: [String]) throws -> RunningProgram {
        guard isAvailable else { return try Program.start(arguments) }
        return try RunningProgram(
            "/usr/bin/setpriv",
            ["--reuid=\(number)", "--regid=\(number)", "--clear-groups", Program.path()]
                + arguments,
            environment: ["BROADSHEET_ADMIN_KEY": RunningServer.adminKey])
    }

    /// Makes the user the owner of a file or folder.
    static func give(_ path: String) throws {
        guard chown(path, number, number) == 0 else { throw TestFailure("chown \(path)") }
    }

    /// The owner and the mode of a file.
    static func owner(_ path: String) throws -> (user: uid_t, group: gid_t, mode: mode_t) {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw TestFailure("\(path) does not exist") }
        return (status.st_uid, status.st_gid, status.st_mode & 0o777)
    }
}
