package import Glibc

/// The ownership of a file. Commands run by root must not leave files that the server cannot open.
package struct FileOwner: Equatable, Sendable {
    package let user: UInt32
    package let group: UInt32
    /// The nine permission bits.
    package let mode: UInt32

    package init(ofOpen descriptor: Int32, _ path: String) throws(FileError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last(path) }
        self.init(status)
    }

    package init(_ status: stat) {
        (user, group, mode) = (status.st_uid, status.st_gid, status.st_mode & 0o777)
    }

    /// Transfers a file that root has just created to this owner (`fchown(2)`); does nothing for
    /// other users.
    package func give(_ descriptor: Int32, _ path: String) throws(FileError) {
        if geteuid() == 0 { try keep(descriptor, path) }
    }

    /// Transfers a new file to this owner, or fails, as only root can do so.
    package func keep(_ descriptor: Int32, _ path: String) throws(FileError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last(path) }
        guard status.st_uid != user || status.st_gid != group else { return }
        // Any other could be a name of a file elsewhere.
        guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
            throw FileError(path, "its owner: it is not a new file", code: EPERM)
        }
        guard fchown(descriptor, user, group) == 0 else {
            throw FileError(path, "its owner: \(String(cString: strerror(errno)))", code: errno)
        }
    }
}

/// A file that cannot be used, and the reason.
package struct FileError: Error, Sendable, CustomStringConvertible {
    package let path: String
    /// A clause about the file: `it is a symbolic link`.
    package let reason: String
    /// `errno`; `ELOOP` also if the file is not a regular file, or its links are not followed.
    package let code: Int32

    package init(_ path: String, _ reason: String, code: Int32) {
        (self.path, self.reason, self.code) = (path, reason, code)
    }

    /// The error of the call that just returned -1.
    package static func last(_ path: String) -> FileError {
        FileError(path, String(cString: strerror(errno)), code: errno)
    }

    package var description: String { "\(path): \(reason)" }
}
