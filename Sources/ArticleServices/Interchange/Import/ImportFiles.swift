import ArticleAPI
import Glibc
import Platform

/// A file to import.
struct ImportFile: Sendable, Hashable {
    /// Used for opening the file and in messages.
    var path: String
    /// Identifies the file in future imports: its path beginning with the name of the given folder.
    var identity: String
    var sizeBytes: Int
    var format: Format
    /// Whether the file itself was named, not its folder.
    var isNamed = true
    /// Whether files beside it may be read with it, such as the redirects of an export of Ghost.
    var hasCompanions = true

    enum Format: Sendable, Hashable {
        case markdown, lines
        /// `.xml` or `.json`: its content says whether it is the export of a blog.
        case document
        /// A file without a known extension that was named explicitly: its first byte decides.
        case unknown

        /// The format according to the file extension (case-insensitive).
        init(name: String) {
            let name = name.lowercased()
            if name.hasSuffix(".md") || name.hasSuffix(".markdown") {
                self = .markdown
            } else if name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") {
                self = .lines
            } else if name.hasSuffix(".xml") || name.hasSuffix(".json") {
                self = .document
            } else {
                self = .unknown
            }
        }
    }
}

/// The given files and those in the given folders, in an order that only depends on their names.
///
/// In folders, only files with a known extension are imported. Hidden files are skipped, and so are
/// symbolic links to folders (which avoids endless cycles).
struct ImportFiles {
    private(set) var files: [ImportFile] = []
    /// Paths that cannot be read, each with the reason.
    private(set) var faults: [ImportFault] = []
    /// Device, inode and path of each file by its identity.
    private var known: [String: (device: UInt, inode: UInt, path: String)] = [:]

    /// Maximum number of files in one import.
    static let limit = 1_000_000
    /// Maximum nesting depth of folders.
    static let limitDepth = 64
    /// Maximum length in bytes of an article's import path: a file's identity and a line's name.
    static let limitPathBytes = 1_000
    /// Maximum length in bytes of a file's identity, which leaves room for a slug in any script in
    /// a line's name.
    static let limitIdentityBytes = 590

    init(_ paths: [String]) {
        for path in paths { add(argument: path) }
    }

    private mutating func add(argument path: String) {
        guard let status = status(of: path) else { return }
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            let name = Self.name(ofFolder: path)
            let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
            addFolder(path, identity: name, depth: 1)
        case S_IFREG:
            // Files have the same identity whether they are named individually or with their
            // folder.
            let parts = path.split(separator: "/").map(String.init)
            let name = parts.last ?? path
            let folder = path.hasSuffix(name) ? String(path.dropLast(name.count)) : ""
            let identity = "\(Self.name(ofFolder: folder.isEmpty ? "." : folder))/\(name)"
            add(path, identity: identity, status, ImportFile.Format(name: name))
        default:
            fault(path, "is neither a file nor a folder")
        }
    }

    private mutating func addFolder(_ path: String, identity: String, depth: Int) {
        guard depth <= Self.limitDepth else {
            return fault(path, "is nested deeper than \(Self.limitDepth) folders")
        }
        let names: [String]
        do throws(SystemError) { names = try Folder.names(path) } catch {
            return fault(path, error.reason)
        }
        for name in names where !name.hasPrefix(".") {
            guard files.count < Self.limit else {
                return fault(path, "an import is limited to \(Self.limit) files")
            }
            let path = "\(path)/\(name)"
            let identity = "\(identity)/\(name)"
            var link = stat()
            guard lstat(path, &link) == 0 else { continue }
            if link.st_mode & S_IFMT == S_IFDIR {
                addFolder(path, identity: identity, depth: depth + 1)
                continue
            }
            let format = ImportFile.Format(name: name)
            guard format != .unknown, let status = status(of: path),
                status.st_mode & S_IFMT == S_IFREG
            else { continue }
            add(path, identity: identity, status, format, isNamed: false)
        }
    }

    private mutating func add(
        _ path: String, identity: String, _ status: stat, _ format: ImportFile.Format,
        isNamed: Bool = true
    ) {
        let identity = identity.inNFC
        guard identity.utf8.count <= Self.limitIdentityBytes else {
            return fault(path, "its path is longer than \(Self.limitIdentityBytes) bytes")
        }
        if let other = known[identity] {
            guard (other.device, other.inode) != (UInt(status.st_dev), UInt(status.st_ino)) else {
                return
            }
            return fault(path, "has the same name as \(other.path): import them separately")
        }
        known[identity] = (UInt(status.st_dev), UInt(status.st_ino), path)
        files.append(
            ImportFile(
                path: path, identity: identity, sizeBytes: Int(status.st_size), format: format,
                isNamed: isNamed))
    }

    /// The status of the link's target (`stat(2)`); records a fault on failure.
    private mutating func status(of path: String) -> stat? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            fault(path, SystemError.last("stat").reason)
            return nil
        }
        return status
    }

    private mutating func fault(_ path: String, _ reason: String) {
        faults.append(ImportFault(path: path, line: nil, reason: reason))
    }

    /// The folder's name, resolved if the path ends in `.` or `..`.
    private static func name(ofFolder path: String) -> String {
        if let last = path.split(separator: "/").last, last != ".", last != ".." {
            return String(last)
        }
        guard let real = realpath(path, nil) else { return "" }
        defer { free(real) }
        return String(cString: real).split(separator: "/").last.map(String.init) ?? ""
    }
}

/// Lists folders (`readdir(3)`).
private enum Folder {
    /// All names except `.` and `..` in byte order.
    static func names(_ path: String) throws(SystemError) -> [String] {
        guard let folder = opendir(path) else { throw .last("opendir") }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
