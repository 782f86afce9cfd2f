import CLinux
import Glibc

/// Another process, which is not confused with a later one with the same number (`pidfd_open(2)`).
public struct ProcessHandle: ~Copyable, Sendable {
    public let id: Int32
    private let descriptor: Descriptor

    /// - Throws: `ESRCH` if no such process exists.
    public init(_ id: Int32) throws(SystemError) {
        self.id = id
        descriptor = Descriptor(try retrying("pidfd_open") { broadsheet_open_process(id) })
    }

    /// Kills it (`SIGKILL`) unless it has already ended.
    public func kill() { _ = broadsheet_signal_process(descriptor.raw, SIGKILL) }

    /// Waits for its end and returns whether it ended in time. Its locks are released then.
    public func waitForEnd(milliseconds: Int32) -> Bool {
        var ended = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
        return poll(&ended, 1, milliseconds) == 1
    }
}
