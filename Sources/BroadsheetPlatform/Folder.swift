import CBroadsheetLinux
import Glibc

/// A folder whose files are examined and opened relative to it, without following links.
///
/// Its owner may be another user than this process's: root's commands work in the folder of the
/// account that serves a database. That user can put a symbolic link, another name of any file, or
/// a FIFO in the place of a file at any time. Such a file is an error here.
///
///     let folder = try Folder("/var/lib/broadsheet")
///     let lock = try folder.openOrCreate("broadsheet.db.lock", for: folder.owner)
package struct Folder: ~Copyable, Sendable {
    package let path: String
    package let owner: FileOwner
    private let place: Descriptor

    /// - Parameter path: a path without symbolic links (`realpath(3)`), or a relative one: a link
    ///   in it is an error.
    package init(_ path: String) throws(FileError) {
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        var place = try Self.enter(isAbsolute ? "/" : ".", in: AT_FDCWD, path)
        for part in path.split(separator: "/") {
            place = try Self.enter(String(part), in: place.raw, path)
        }
        owner = try FileOwner(ofOpen: place.raw, path)
        self.path = path
        self.place = place
    }

    private static func enter(
        _ name: String, in folder: Int32, _ path: String
    ) throws(FileError) -> Descriptor {
        let raw = broadsheet_open_place(folder, name, true)
        guard raw >= 0 else { throw .last(path) }
        return Descriptor(raw)
    }

    /// True if this process is root, and another user can change the names in the folder.
    package var isOfOthers: Bool {
        geteuid() == 0 && (owner.user != 0 || owner.mode & 0o022 != 0)
    }

    // MARK: Files

    /// The file's owner; `nil` if there is no such file.
    ///
    /// - Throws: if it is not a regular file, or is another user's chance to have root use a file
    ///   elsewhere.
    @discardableResult
    package func owner(of name: String) throws(FileError) -> FileOwner? {
        var status = stat()
        guard fstatat(place.raw, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw .last(path(of: name))
        }
        try check(status, name)
        return FileOwner(status)
    }

    /// Opens a regular file; `nil` if there is no such file.
    ///
    /// - Parameter access: `O_RDONLY`, `O_WRONLY` or `O_RDWR`.
    package func open(
        _ name: String, _ access: Int32 = O_RDONLY
    ) throws(FileError) -> Descriptor? {
        // Examined first, as opening a device may have effects, and a FIFO could be waited for.
        guard try owner(of: name) != nil else { return nil }
        let flags = access | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let raw = openat(place.raw, name, flags)
        guard raw >= 0 else {
            if errno == ENOENT { return nil }
            throw .last(path(of: name))
        }
        let file = Descriptor(raw)
        var status = stat()
        guard fstat(file.raw, &status) == 0 else { throw .last(path(of: name)) }
        try check(status, name)
        return file
    }

    /// Creates a file that only its owner can read (mode 0600); `nil` if there is one.
    ///
    /// - Parameter owner: receives the file if root creates it.
    package func create(_ name: String, for owner: FileOwner) throws(FileError) -> Descriptor? {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let raw = openat(place.raw, name, flags, 0o600)
        guard raw >= 0 else {
            if errno == EEXIST { return nil }
            throw .last(path(of: name))
        }
        let file = Descriptor(raw)
        do throws(FileError) { try owner.give(file.raw, path(of: name)) } catch {
            unlinkat(place.raw, name, 0)
            throw error
        }
        return file
    }

    /// Opens a file for reading and writing, and creates it if there is none.
    ///
    /// - Parameter owner: receives the file if root creates it; an existing one is not given away.
    package func openOrCreate(
        _ name: String, for owner: FileOwner
    ) throws(FileError) -> Descriptor {
        // Another process may create or remove it in between.
        for _ in 0..<100 {
            if let file = try open(name, O_RDWR) { return file }
            if let file = try create(name, for: owner) { return file }
        }
        throw FileError(path(of: name), "it is removed whenever it is created", code: EAGAIN)
    }

    /// Transfers a socket that root has just bound in the folder (`fchownat(2)`).
    package func grantSocket(_ name: String, to owner: FileOwner) throws(FileError) {
        let raw = broadsheet_open_place(place.raw, name, false)
        guard raw >= 0 else { throw .last(path(of: name)) }
        let socket = Descriptor(raw)
        var status = stat()
        guard fstat(socket.raw, &status) == 0 else { throw .last(path(of: name)) }
        // Somebody else may have put another file in its place.
        guard status.st_mode & S_IFMT == S_IFSOCK, status.st_nlink == 1 else {
            throw FileError(path(of: name), "it is not a socket", code: EPERM)
        }
        guard broadsheet_give_place(socket.raw, owner.user, owner.group) == 0 else {
            throw .last(path(of: name))
        }
    }

    private func check(_ status: stat, _ name: String) throws(FileError) {
        let reason: String? =
            switch status.st_mode & S_IFMT {
            case S_IFREG where status.st_nlink > 1 && isOfOthers && status.st_uid != owner.user:
                "it has other names (hard links), and belongs to another user than its folder"
            case S_IFREG: nil
            case S_IFLNK: "it is a symbolic link"
            case S_IFIFO: "it is a FIFO, not a file"
            case S_IFSOCK: "it is a socket, not a file"
            case S_IFDIR: "it is a folder, not a file"
            default: "it is a device, not a file"
            }
        guard let reason else { return }
        throw FileError(path(of: name), reason, code: ELOOP)
    }

    private func path(of name: String) -> String { path == "/" ? "/\(name)" : "\(path)/\(name)" }

    // MARK: Rights

    /// Runs the body, on this thread, with the rights of the folder's owner to files if this
    /// process is root (`setfsuid(2)`): it can use and create nothing that the owner could not.
    ///
    /// For libraries that open files by their paths. Threads and processes that the body starts
    /// would keep these rights.
    package func withRightsOfOwner<Value: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard owner.user != 0, broadsheet_file_user() == 0, geteuid() == 0 else {
            return try body()
        }
        broadsheet_use_file_rights(owner.user, owner.group)
        defer { broadsheet_use_file_rights(0, getegid()) }
        // An owner who copies such a folder to one of root's works there with root's rights.
        let again = broadsheet_open_place(AT_FDCWD, path, true)
        if again < 0 { broadsheet_use_file_rights(0, getegid()) } else { close(again) }
        return try body()
    }
}
