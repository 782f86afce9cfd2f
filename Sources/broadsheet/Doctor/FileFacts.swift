#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The attributes of a file (`stat(2)`).
struct FileFacts {
    let bytes: Int
    /// The nine permission bits.
    let mode: UInt32
    let isOwn: Bool
    /// The time of the last write, in seconds since 1970.
    let writtenSeconds: Int64

    /// `nil` if there is no such file.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        bytes = Int(status.st_size)
        mode = UInt32(status.st_mode) & 0o777
        isOwn = status.st_uid == geteuid()
        writtenSeconds = Int64(status.st_mtim.tv_sec)
    }

    /// The mode in octal: `640`.
    var modeText: String { String(mode, radix: 8) }

    static func canWrite(_ path: String) -> Bool { access(path, W_OK) == 0 }

    /// The folder of a file.
    static func folder(of path: String) -> String {
        let cut = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return cut.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
}
