import CLinux
import Dispatch

/// Gives memory that is no longer needed back to the kernel, within seconds.
///
/// What is large goes back when it is freed; what is small stays in malloc's arenas, and what a
/// burst left there would stay for good. Every two seconds it is looked at how much that is.
public final class MemoryKeeper: Sendable {
    // Dispatch sources may be used from any thread (dispatch_source_create(3)).
    private nonisolated(unsafe) let timer: any DispatchSourceTimer
    private static let seconds = 2
    /// Less than this is left to whoever needs it next.
    private static let keptBytes: UInt = 16 << 20

    /// Looks after the process's memory as long as it lives.
    ///
    /// - Parameter cores: threads that allocate at the same time.
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
