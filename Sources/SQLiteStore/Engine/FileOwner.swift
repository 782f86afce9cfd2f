import ArticleStore
import Glibc

/// Whose a file is. Commands that root runs must not leave files that the server cannot open.
struct FileOwner: Equatable {
    let user: uid_t
    let group: gid_t
    /// The nine bits of who may do what.
    let mode: mode_t

    /// Of a file, or of a folder in which something is made.
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

    /// Gives them a file that root has made (`fchown(2)`); what others make is theirs.
    func give(_ descriptor: Int32, _ path: String) throws(StoreOpeningError) {
        if geteuid() == 0 { try keep(descriptor, path) }
    }

    /// Gives them the file, or fails: only root can give a file away.
    func keep(_ descriptor: Int32, _ path: String) throws(StoreOpeningError) {
        let now = try FileOwner(ofOpen: descriptor)
        guard now.user != user || now.group != group else { return }
        guard fchown(descriptor, user, group) == 0 else { throw Self.failure(path) }
    }

    private static func failure(_ path: String) -> StoreOpeningError {
        .failed(path: path, reason: "its owner: \(String(cString: strerror(errno)))")
    }
}
