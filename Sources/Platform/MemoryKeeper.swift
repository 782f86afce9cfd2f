import CLinux
import Dispatch

/// Returns unused memory to the kernel within seconds.
///
/// Large blocks return when they are freed; small ones stay in malloc's arenas, where a burst would
/// leave them for good. This checks every two seconds how much that is.
public final class MemoryKeeper: Sendable {
    // Dispatch sources may be used from any thread (dispatch_source_create(3)).
    private nonisolated(unsafe) let timer: any DispatchSourceTimer
    private static let seconds = 2
    /// Less than this is left for later allocations.
    private static let keptBytes: UInt = 16 << 20

    /// Maintains the process's memory as long as this object lives.
    ///
    /// - Parameter cores: The number of threads that allocate at the same time.
    public init(cores: Int) {
        broadsheet_tune_memory(Int32(clamping: cores + 4))
        timer = DispatchSource.makeTimerSource(
            queue: DispatchQueue(label: "broadsheet.memory", qos: .utility))
        timer.schedule(
            deadline: .now() + .seconds(Self.seconds), repeating: .seconds(Self.seconds),
            leeway: .milliseconds(500))
        timer.setEventHandler {
            if broadsheet_free_bytes() > Self.keptBytes { broadsheet_trim_memory() }
        }
        timer.activate()
    }

    deinit { timer.cancel() }
}
