import Glibc

/// An absolute path without symbolic links, and the owners of the links that led to it.
///
/// Root must not be led to a file by a user who does not own it: the account that serves a
/// database could replace it with a link to any file of root's. But a link to another disk is
/// common, by root or by that account, which then also owns the file.
///
///     let resolved = try ResolvedPath("/var/lib/broadsheet/broadsheet.db")
///     try resolved.checkLinks(to: owner)
package struct ResolvedPath {
    package private(set) var path: String
    private var linkOwners: Set<UInt32> = []
    /// As many as the kernel follows (path_resolution(7)).
    private static let limitLinks = 40

    /// Resolves the path as `realpath(3)` does.
    package init(_ given: String) throws(FileError) {
        path = ""
        var rest = try Self.absolute(given).split(separator: "/").reversed().map(String.init)
        var links = 0
        // Invariant: `path` contains no links, and is empty for the root; `rest` follows, last part
        // first.
        while let part = rest.popLast() {
            if part == "." { continue }
            if part == ".." {
                path = path.isEmpty ? "" : FileSystem.folder(of: path)
                if path == "/" { path = "" }
                continue
            }
            let next = "\(path)/\(part)"
            var status = stat()
            guard lstat(next, &status) == 0 else { throw .last(given) }
            guard status.st_mode & S_IFMT == S_IFLNK else {
                path = next
                continue
            }
            links += 1
            guard links <= Self.limitLinks, let target = Self.target(of: next) else {
                throw FileError(given, String(cString: strerror(ELOOP)), code: ELOOP)
            }
            linkOwners.insert(status.st_uid)
            if target.utf8.first == UInt8(ascii: "/") { path = "" }
            rest += target.split(separator: "/").reversed().map(String.init)
        }
        if path.isEmpty { path = "/" }
    }

    private static func absolute(_ path: String) throws(FileError) -> String {
        if path.utf8.first == UInt8(ascii: "/") { return path }
        guard !path.isEmpty, let folder = realpath(".", nil) else {
            throw FileError(path, String(cString: strerror(ENOENT)), code: ENOENT)
        }
        defer { free(folder) }
        return "\(String(cString: folder))/\(path)"
    }

    private static func target(of link: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &bytes, bytes.count)
        guard count > 0, count < bytes.count else { return nil }
        return String(validating: bytes[..<count], as: UTF8.self)
    }

    /// - Parameter owner: that of the file or folder at the path.
    /// - Throws: if this process is root, and the path led through a link of a user other than root
    ///   and that owner.
    package func checkLinks(to owner: FileOwner) throws(FileError) {
        guard geteuid() == 0 else { return }
        for user in linkOwners where user != 0 && user != owner.user {
            throw FileError(
                path,
                "a symbolic link of user \(user) leads to it, but it belongs to user "
                    + "\(owner.user): root does not follow such links", code: ELOOP)
        }
    }
}
