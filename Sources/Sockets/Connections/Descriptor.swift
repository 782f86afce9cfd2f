#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file descriptor with one owner; leaving scope closes it (`close(2)`).
public struct Descriptor: ~Copyable, Sendable {
    public let raw: Int32

    public init(_ raw: Int32) { self.raw = raw }

    deinit { close(raw) }

    /// Gives the descriptor away, open: someone else closes it.
    public consuming func release() -> Int32 {
        let raw = raw
        discard self
        return raw
    }
}

/// How many descriptors this process may have.
public enum DescriptorLimit {
    /// Raises the soft limit to the hard one (`setrlimit(2)`, `RLIMIT_NOFILE`) and tells it.
    @discardableResult
    public static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 1_024
        }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return current
    }

    /// How many descriptors the process may have open (`getrlimit(2)`).
    public static var current: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 1_024
        }
        return Int(clamping: limit.rlim_cur)
    }
}
