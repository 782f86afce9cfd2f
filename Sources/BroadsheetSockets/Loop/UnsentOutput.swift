/// The rest of the output that the socket did not accept at once.
@usableFromInline
package struct UnsentOutput {
    @usableFromInline package private(set) var bytes: [UInt8] = []
    private var sent = 0
    /// The time at which the socket last accepted some of it, in monotonic milliseconds.
    package private(set) var progressTime: Int64 = 0

    package init() {}

    package init(_ bytes: [UInt8], now: Int64) {
        self.bytes = bytes
        progressTime = now
    }

    @inlinable package var isEmpty: Bool { bytes.isEmpty }

    /// Returns the number of bytes at its end that have not left the process, not even as a part of
    /// a TLS record.
    package func unwrittenCount(on channel: SocketChannel) -> Int {
        bytes.count - sent - channel.heldBack
    }

    /// Sends as much as the socket accepts; returns the number of bytes.
    package mutating func send(to channel: SocketChannel, now: Int64) -> Int {
        let before = sent
        sent = bytes.withUnsafeBytes { channel.writeMore($0, from: before) }
        if sent > before { progressTime = now }
        defer { if sent == bytes.count { self = UnsentOutput() } }
        return sent - before
    }
}
