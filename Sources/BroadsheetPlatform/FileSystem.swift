import Glibc

/// Operations on files and paths for several targets.
package enum FileSystem {
    /// The path of the file's folder, derived from the file's path alone: `.` for `a.db`.
    package static func folder(of path: String) -> String {
        let cut = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return cut.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// The file's name, derived from its path alone.
    package static func name(of path: String) -> String {
        let cut = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return cut.map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// All bytes up to the end (`read(2)`); `nil` if there are more than `limitBytes`.
    package static func bytes(
        of descriptor: Int32, limitBytes: Int
    ) throws(SystemError) -> [UInt8]? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = try retrying("read") { read(descriptor, &chunk, chunk.count) }
            guard count > 0 else { return bytes }
            guard bytes.count + count <= limitBytes else { return nil }
            bytes += chunk[..<count]
        }
    }

    /// Writes all bytes (`write(2)`).
    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        try write(bytes[...], to: descriptor)
    }

    package static func write(
        _ bytes: ArraySlice<UInt8>, to descriptor: Int32
    ) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            do throws(SystemError) {
                let count = try retrying("write") {
                    rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                }
                rest = rest.dropFirst(count)
            } catch {
                // Another process that shares the descriptor may have made it non-blocking.
                guard error.code == EAGAIN else { throw error }
                var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = try retrying("poll") { poll(&output, 1, -1) }
            }
        }
    }

    /// The bytes that this user can still write to the file system of a file (`statvfs(3)`); `nil`
    /// if it cannot be asked.
    package static func freeBytes(at path: String) -> Int? {
        var disk = statvfs()
        return statvfs(path, &disk) == 0 ? Int(disk.f_bavail) * Int(disk.f_frsize) : nil
    }

    /// The same for an open file.
    package static func freeBytes(of descriptor: Int32) -> Int? {
        var disk = statvfs()
        return fstatvfs(descriptor, &disk) == 0 ? Int(disk.f_bavail) * Int(disk.f_frsize) : nil
    }

    /// Makes changes to a file's folder durable (`fsync(2)`).
    package static func flushFolder(of path: String) throws(SystemError) {
        let folder = folder(of: path)
        let descriptor = Descriptor(
            try retrying("open") { open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
        _ = try retrying("fsync") { fsync(descriptor.raw) }
    }
}
