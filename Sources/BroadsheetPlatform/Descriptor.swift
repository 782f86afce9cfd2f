import CBroadsheetLinux
import Glibc

/// A file descriptor with one owner, closed when it leaves scope (`close(2)`).
public struct Descriptor: ~Copyable, Sendable {
    public let raw: Int32

    public init(_ raw: Int32) { self.raw = raw }

    deinit { close(raw) }

    /// Releases the open descriptor to the caller, who has to close it.
    public consuming func release() -> Int32 {
        let raw = raw
        discard self
        return raw
    }
}

/// A descriptor that becomes readable, to wake a thread that also waits for others (`eventfd(2)`).
package struct WakeupDescriptor: ~Copyable, Sendable {
    private let descriptor: Descriptor

    package init() throws(SystemError) {
        descriptor = Descriptor(try retrying("eventfd") { eventfd(0, O_CLOEXEC) })
    }

    package var raw: Int32 { descriptor.raw }

    /// Makes it readable for good, from any thread.
    package func wake() {
        var one: UInt64 = 1
        _ = write(raw, &one, 8)
    }
}

/// The descriptor limit of this process.
public enum DescriptorLimit {
    /// Raises the soft limit to the hard limit (`setrlimit(2)`, `RLIMIT_NOFILE`) and returns it.
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

    /// The maximum number of open descriptors (`getrlimit(2)`).
    public static var current: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 1_024
        }
        return Int(clamping: limit.rlim_cur)
    }
}
