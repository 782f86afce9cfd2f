import ArticleAPI
import BroadsheetHTTP
import BroadsheetPlatform
import Glibc

/// A file to import.
package struct ImportFile: Sendable, Hashable {
    /// Used for opening the file and in messages.
    var path: String
    /// Identifies the file in future imports: its path beginning with the name of the given folder.
    var identity: String
    var sizeBytes: Int
    var format: Format
    /// True if the file itself was named, not its folder.
    var isNamed: Bool
    /// True if files beside it may be read with it, such as the redirects of an export of Ghost.
    var hasCompanions: Bool
    /// The folder or section page that kept it from being public at its source.
    var hiddenBy: String?

    package init(
        path: String, identity: String, sizeBytes: Int, format: Format, isNamed: Bool = true,
        hasCompanions: Bool = true, hiddenBy: String? = nil
    ) {
        self.path = path
        self.identity = identity
        self.sizeBytes = sizeBytes
        self.format = format
        self.isNamed = isNamed
        self.hasCompanions = hasCompanions
        self.hiddenBy = hiddenBy
    }

    package enum Format: Sendable, Hashable {
        case markdown, lines
        /// `.xml` or `.json`: its content shows if it is the export of a blog.
        case document
        /// A file without an extension that was named explicitly: its first byte decides.
        case unknown
        /// Another extension: the file is only imported if its content is the export of a blog.
        case other

        /// The format according to the file extension (case-insensitive).
        package init(name: String) {
            switch ImportFile.nameExtension(of: name) {
            case "md", "markdown": self = .markdown
            case "ndjson", "jsonl": self = .lines
            case "xml", "json": self = .document
            case "": self = .unknown
            default: self = .other
            }
        }
    }

    /// The part after the last dot in lower case; empty without a dot, or if that comes first.
    static func nameExtension(of name: String) -> String {
        guard let dot = name.dropFirst().lastIndex(of: ".") else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }
}

/// The meaning of the names of a site's files, as its generator reads them.
extension ImportFile {
    private var parts: [Substring] { identity.split(separator: "/") }

    /// The name by which a post is dated and titled: that of the folder for `hello/index.md`.
    var postName: String {
        guard let name = parts.last else { return identity }
        let isIndex = name.lowercased().split(separator: ".").first == "index"
        // The first folder of an upload is not its own.
        guard isIndex, parts.count > (hasCompanions ? 1 : 2) else { return String(name) }
        return "\(parts[parts.count - 2]).md"
    }

    /// True for a page about a section of Hugo: `_index.md`, `_index.ko.md`.
    var isSectionPage: Bool { parts.last.map(Self.isSectionPage) ?? false }

    static func isSectionPage(_ name: some StringProtocol) -> Bool {
        name.hasPrefix("_") && Format(name: String(name)) == .markdown
            && name.lowercased().hasPrefix("_index.")
    }

    /// True if it is about its folder, if it has no front matter: `README.md`, `LICENSE.md`.
    var isAboutFolder: Bool {
        let stem = parts.last?.split(separator: ".").first?.lowercased() ?? ""
        return Self.namesAboutFolders.contains(stem.replacing(bytesOf: "-", with: "_"))
            || stem.hasPrefix("readme_") || stem.hasPrefix("readme-")
    }

    private static let namesAboutFolders: Set = [
        "readme", "license", "licence", "copying", "notice", "changelog", "changes", "history",
        "contributing", "contributors", "authors", "maintainers", "governance", "code_of_conduct",
        "security", "support", "todo", "agents", "claude",
    ]

    /// The folder or name in its path that generators do not publish: one that begins with an
    /// underscore, such as `_drafts`, or a folder whose name says so.
    var hidingName: String? { Self.hidingName(in: parts) }

    fileprivate static func hidingName(in parts: [Substring]) -> String? {
        parts.first { part in
            let name = part.lowercased()
            return part.hasPrefix("_") && name != "_posts" || draftFolders.contains(name)
        }.map(String.init)
    }

    private static let draftFolders: Set = ["draft", "drafts", "private", "unpublished"]
}

/// The given files and those in the given folders, in an order that only depends on their names.
///
/// In folders, only files with a known extension are imported. Hidden files are skipped, and so are
/// symbolic links to folders (which avoids endless cycles) and packages of Node.
package struct ImportFiles {
    private(set) var files: [ImportFile] = []
    /// Paths that cannot be read, each with the reason.
    private(set) var faults: [ImportFault] = []
    /// Documents that were skipped as they are not Markdown, and the number of other files.
    private(set) var notes: [ImportFault] = []
    private var otherFiles = 0
    /// Device, inode and path of each file by its identity.
    private var known: [String: (device: UInt, inode: UInt, path: String)] = [:]

    /// Maximum number of files in one import.
    package static let limit = 1_000_000
    /// Maximum nesting depth of folders.
    static let limitDepth = 64
    /// Maximum length in bytes of a file's identity, which leaves room for a slug in any script in
    /// a line's name.
    package static let limitIdentityBytes = 590

    init(_ paths: [String]) {
        for path in paths { add(argument: path) }
    }

    private mutating func add(argument path: String) {
        guard let status = status(of: path) else { return }
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            let name = Self.name(ofFolder: path)
            let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
            let others = otherFiles
            addFolder(path, identity: name, depth: 1, hiddenBy: Self.hiding(above: path))
            if otherFiles > others {
                note(path, "other files were skipped: \(otherFiles - others)")
            }
        case S_IFREG:
            // Files have the same identity whether they are named individually or with their
            // folder.
            let parts = path.split(separator: "/").map(String.init)
            let name = parts.last ?? path
            let folder = path.hasSuffix(name) ? String(path.dropLast(name.count)) : ""
            let identity = "\(Self.name(ofFolder: folder.isEmpty ? "." : folder))/\(name)"
            add(
                path, identity: identity, status, ImportFile.Format(name: name),
                hiddenBy: Self.hiding(above: path))
        default:
            fault(path, "is neither a file nor a folder")
        }
    }

    private mutating func addFolder(
        _ path: String, identity: String, depth: Int, hiddenBy: String?
    ) {
        guard depth <= Self.limitDepth else {
            return fault(path, "is nested deeper than \(Self.limitDepth) folders")
        }
        let names: [String]
        do throws(SystemError) { names = try Folder.names(path) } catch {
            return fault(path, error.reason)
        }
        let hiddenBy = hiddenBy ?? Self.hidingSection(names, in: path)
        for name in names where !name.hasPrefix(".") && name != "node_modules" {
            guard files.count < Self.limit else {
                return fault(path, "an import is limited to \(Self.limit) files")
            }
            let path = "\(path)/\(name)"
            let identity = "\(identity)/\(name)"
            var link = stat()
            guard lstat(path, &link) == 0 else { continue }
            if link.st_mode & S_IFMT == S_IFDIR {
                addFolder(path, identity: identity, depth: depth + 1, hiddenBy: hiddenBy)
                continue
            }
            let format = ImportFile.Format(name: name)
            guard format != .unknown, format != .other else {
                if link.st_mode & S_IFMT == S_IFREG { skip(path, name) }
                continue
            }
            guard let status = status(of: path), status.st_mode & S_IFMT == S_IFREG
            else { continue }
            add(path, identity: identity, status, format, isNamed: false, hiddenBy: hiddenBy)
        }
    }

    /// The section page in a folder of Hugo that hides all posts below it, or cannot be read.
    private static func hidingSection(_ names: [String], in path: String) -> String? {
        names.first { name in
            guard ImportFile.isSectionPage(name) else { return false }
            let bytes = try? FileReader.bytes(
                of: "\(path)/\(name)", limitBytes: ImportRun.limitPostBytes)
            guard let bytes, let page = try? MarkdownPost(bytes, name: name) else { return true }
            return page.frontMatter.hidesDescendants
        }
    }

    /// Returns the name that hides an argument from above: a folder in its path as it is given,
    /// `_drafts` wherever that is, or a section page beside or above it.
    private static func hiding(above path: String) -> String? {
        if !path.hasPrefix("/"), let name = ImportFile.hidingName(in: path.split(separator: "/")) {
            return name
        }
        var folders = path.split(separator: "/", omittingEmptySubsequences: false)
        while folders.count > 1 {
            folders.removeLast()
            let folder = folders.joined(separator: "/")
            guard !folder.isEmpty,
                let pages = try? Folder.names(folder, where: ImportFile.isSectionPage)
            else { break }
            if let page = hidingSection(pages, in: folder) { return page }
        }
        return draftFolder(above: path)
    }

    private static func draftFolder(above path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real).split(separator: "/").first { $0.lowercased() == "_drafts" }
            .map(String.init)
    }

    private static let documentExtensions: Set = [
        "html", "htm", "xhtml", "txt", "text", "csv", "tsv", "doc", "docx", "odt", "rtf", "pdf",
        "pages", "epub", "rst", "adoc", "asciidoc", "org", "textile", "tex", "mdx", "mkd", "mkdn",
        "mkdown", "mdown",
    ]

    private mutating func skip(_ path: String, _ name: String) {
        let isDocument = Self.documentExtensions.contains(ImportFile.nameExtension(of: name))
        if isDocument, notes.count < ImportReport.limitFaults {
            note(path, "is not Markdown (.md) and was skipped")
        } else {
            otherFiles += 1
        }
    }

    private mutating func add(
        _ path: String, identity: String, _ status: stat, _ format: ImportFile.Format,
        isNamed: Bool = true, hiddenBy: String?
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
                isNamed: isNamed, hiddenBy: hiddenBy))
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

    private mutating func note(_ path: String, _ reason: String) {
        notes.append(ImportFault(path: path, line: nil, reason: reason))
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
    /// All names except `.` and `..`, or those of them that are wanted, in byte order.
    package static func names(
        _ path: String, where isWanted: (String) -> Bool = { _ in true }
    ) throws(SystemError) -> [String] {
        guard let folder = opendir(path) else { throw .last("opendir") }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != "..", isWanted(name) { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
