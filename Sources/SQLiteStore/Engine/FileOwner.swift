import ArticleStore
import Glibc

/// The ownership of a file. Commands run by root must not leave files that the server cannot open.
struct FileOwner: Equatable {
    let user: uid_t
    let group: gid_t
    /// The nine permission bits.
    let mode: mode_t

    /// Reads the ownership of a file, or of a folder in which a file is created.
    init(of path: String) throws(StoreOpeningError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.failure(path) }
        self.init(status)
    }

    init(ofOpen descriptor: Int32) throws(StoreOpeningError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("fstat") }
        self.init(status)
    }

    private init(_ status: stat) {
        (user, group, mode) = (status.st_uid, status.st_gid, status.st_mode & 0o777)
    }

    /// Transfers a file created by root to this owner (`fchown(2)`); does nothing for other users.
    func give(_ descriptor: Int32, _ path: String) throws(StoreOpeningError) {
        if geteuid() == 0 { try keep(descriptor, path) }
    }

    /// Transfers the file to this owner, or fails, as only root can do so.
    func keep(_ descriptor: Int32, _ path: String) throws(StoreOpeningError) {
        let now = try FileOwner(ofOpen: descriptor)
        guard now.user != user || now.group != group else { return }
        guard fchown(descriptor, user, group) == 0 else { throw Self.failure(path) }
    }

    private static func failure(_ path: String) -> StoreOpeningError {
        .failed(path: path, reason: "its owner: \(String(cString: strerror(errno)))")
    }
}
