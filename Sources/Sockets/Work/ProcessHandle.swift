import CLinux
import Glibc

/// Another process, and none that gets its number later (`pidfd_open(2)`).
public struct ProcessHandle: ~Copyable, Sendable {
    public let id: Int32
    private let descriptor: Descriptor

    /// - Throws: `ESRCH` if there is none of this number.
    public init(_ id: Int32) throws(SystemError) {
        self.id = id
        descriptor = Descriptor(try retrying("pidfd_open") { broadsheet_open_process(id) })
    }

    /// Ends it at once (`SIGKILL`); one that has ended is left alone.
    public func kill() { _ = broadsheet_signal_process(descriptor.raw, SIGKILL) }

    /// Waits for its end, and tells whether it came in time. Its locks are free then.
    public func waitForEnd(milliseconds: Int32) -> Bool {
        var ended = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
        return poll(&ended, 1, milliseconds) == 1
    }
}
