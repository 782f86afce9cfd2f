import Glibc

/// A folder that goes with its last user.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/broadsheet-store-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(code: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { Self.remove(path) }

    struct Failure: Error {
        var code: Int32
    }

    func file(_ name: String) -> String { path + "/" + name }

    /// The files in it, in the order of their names.
    func names() -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private static func remove(_ path: String) {
        guard let folder = opendir(path) else { return }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { unlink(path + "/" + name) }
        }
        closedir(folder)
        rmdir(path)
    }
}
