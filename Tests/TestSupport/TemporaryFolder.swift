import Glibc

/// A new folder that is removed with its contents when its owner is released.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() throws(TestFailure) {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/broadsheet-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .system("mkdtemp") }
        path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    deinit { Self.remove(path) }

    private static func remove(_ path: String) {
        var status = stat()
        // A link is removed, but not its target.
        let isFolder = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        if isFolder, let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { remove("\(path)/\(name)") }
            }
            closedir(folder)
        }
        _ = Glibc.remove(path)
    }

    /// The path of a file in it.
    public func file(_ name: String) -> String { "\(path)/\(name)" }
}
