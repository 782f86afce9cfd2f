#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What the file system says of a file (`stat(2)`).
struct FileFacts {
    let bytes: Int
    /// Who may do what: the nine bits.
    let mode: UInt32
    let isOwn: Bool
    /// Seconds since 1970 when it was written last.
    let writtenSeconds: Int64

    /// `nil` if nothing is there.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        bytes = Int(status.st_size)
        mode = UInt32(status.st_mode) & 0o777
        isOwn = status.st_uid == geteuid()
        writtenSeconds = Int64(status.st_mtim.tv_sec)
    }

    /// `640`.
    var modeText: String { String(mode, radix: 8) }

    static func canWrite(_ path: String) -> Bool { access(path, W_OK) == 0 }

    /// The folder of a file.
    static func folder(of path: String) -> String {
        let cut = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return cut.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
}
