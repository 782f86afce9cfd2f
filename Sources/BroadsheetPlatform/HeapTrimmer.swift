import CBroadsheetLinux
import Dispatch
import Glibc

/// Returns memory that is no longer used to the kernel.
///
/// Large blocks return when they are freed; small ones stay in malloc's arenas, where a burst would
/// leave them for good. Their amount is checked every two seconds, but less often if the check is
/// slow: it walks all free blocks, and holds the lock of each arena while it does.
public final class HeapTrimmer: Sendable {
    // Dispatch sources may be used from any thread (dispatch_source_create(3)).
    private nonisolated(unsafe) let timer: any DispatchSourceTimer
    /// While the process takes no more than this, there is too little to return.
    private let keptBytes: Int
    /// This much free memory is kept for later allocations.
    private static let freeBytes = 16 << 20

    /// Maintains the process's memory as long as this object lives.
    ///
    /// - Parameter cores: The number of threads that allocate at the same time.
    public init(cores: Int) {
        broadsheet_tune_memory(Int32(clamping: cores + 4))
        keptBytes = (ProcessMemory()?.residentBytes ?? 0) + Self.freeBytes
        timer = DispatchSource.makeTimerSource(
            queue: DispatchQueue(label: "broadsheet.memory", qos: .utility))
        timer.setEventHandler { [weak self] in self?.maintain() }
        schedule(after: .zero)
        timer.activate()
    }

    deinit { timer.cancel() }

    private func schedule(after cost: Duration) {
        timer.schedule(
            deadline: .now() + .seconds(Int(Self.pause(after: cost).components.seconds)),
            leeway: .milliseconds(500))
    }

    private func maintain() {
        // Free memory is part of the resident memory.
        guard ProcessMemory().map({ $0.residentBytes > keptBytes }) ?? true else {
            return schedule(after: .zero)
        }
        var free: UInt = 0
        let cost = ContinuousClock().measure { free = broadsheet_free_bytes() }
        if free > Self.freeBytes { broadsheet_trim_memory() }
        schedule(after: cost)
    }

    /// The time until the next check, given the duration of the last one: checks take at most a
    /// thousandth of the time.
    package static func pause(after cost: Duration) -> Duration {
        min(max(cost * 1_000, .seconds(2)), .seconds(120))
    }
}

/// The memory of the process (proc_pid_statm(5)).
package struct ProcessMemory: Sendable {
    /// Bytes of address space.
    package let virtualBytes: Int
    /// Bytes of physical memory.
    package let residentBytes: Int

    /// Reads the current figures; `nil` if they are not available.
    package init?() {
        let file = Descriptor(open("/proc/self/statm", O_RDONLY | O_CLOEXEC))
        guard let text = try? FileSystem.bytes(of: file.raw, limitBytes: 4 << 10) else {
            return nil
        }
        let pages = String(decoding: text, as: UTF8.self).split(separator: " ").map { Int($0) }
        guard pages.count > 1, let virtual = pages[0], let resident = pages[1] else { return nil }
        let pageBytes = sysconf(Int32(_SC_PAGESIZE))
        virtualBytes = virtual * pageBytes
        residentBytes = resident * pageBytes
    }
}
