import BroadsheetTestSupport
import Glibc

/// The kernel's figures for a process (proc(5)).
struct ProcessFigures {
    /// The current and the peak resident memory.
    let residentKilobytes: Int
    let peakKilobytes: Int

    init(_ process: Int32) throws {
        let lines = try read("/proc/\(process)/status").split(separator: "\n")
        func kilobytes(_ name: String) throws -> Int {
            let line = lines.first { $0.hasPrefix("\(name):") }
            guard let words = line?.split(whereSeparator: \.isWhitespace), words.count > 1,
                let number = Int(words[1])
            else { throw TestFailure("/proc has no \(name)") }
            return number
        }
        residentKilobytes = try kilobytes("VmRSS")
        peakKilobytes = try kilobytes("VmHWM")
    }

    /// True if the descriptors of a server are visible: only root can see them.
    static let areOpen = geteuid() == 0

    static func socketCount(_ process: Int32) -> Int {
        descriptors(process).count { $0.hasPrefix("socket:") }
    }

    /// The target of each open descriptor.
    static func descriptors(_ process: Int32) -> [String] {
        let path = "/proc/\(process)/fd"
        var target = [CChar](repeating: 0, count: 256)
        return entries(path).compactMap { name in
            let count = readlink("\(path)/\(name)", &target, target.count)
            guard count > 0 else { return nil }
            return target.withUnsafeBytes { String(decoding: $0.prefix(count), as: UTF8.self) }
        }
    }

    /// The names in a folder.
    static func entries(_ path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                        String(cString: $0)
                    }
                })
        }
        return names
    }
}
