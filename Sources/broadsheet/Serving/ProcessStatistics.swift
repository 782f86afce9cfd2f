import Platform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The kernel's figures for this process (proc(5)); `nil` if unavailable.
struct ProcessStatistics {
    let residentBytes: Int?
    let virtualBytes: Int?
    let openDescriptors: Int?
    let descriptorLimit: Int
    let cpuSeconds: Double

    /// Reads the current figures.
    init() {
        let pages = (try? Files.read("/proc/self/statm"))
            .map {
                String(decoding: $0, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
            }
        let pageBytes = sysconf(Int32(_SC_PAGESIZE))
        virtualBytes = pages.flatMap { $0.count > 1 ? $0[0] * pageBytes : nil }
        residentBytes = pages.flatMap { $0.count > 1 ? $0[1] * pageBytes : nil }
        openDescriptors = Self.countEntries(of: "/proc/self/fd")
        descriptorLimit = DescriptorLimit.current
        cpuSeconds = Double(SystemClock.processNanoseconds) / 1_000_000_000
    }

    /// Does not count `.`, `..` and the descriptor that reads the folder.
    private static func countEntries(of path: String) -> Int? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return max(0, count - 3)
    }
}
