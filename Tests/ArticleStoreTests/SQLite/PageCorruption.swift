import Glibc

/// Overwrites a page (counted from 1) with garbage.
func corruptPage(_ path: String, page: Int64) {
    let descriptor = open(path, O_WRONLY)
    defer { close(descriptor) }
    let nonsense = [UInt8](repeating: 0xA5, count: 4_096)
    pwrite(descriptor, nonsense, nonsense.count, Int(page - 1) * 4_096)
}
