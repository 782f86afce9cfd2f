import BroadsheetPlatform
import BroadsheetTestSupport

@testable import BroadsheetSockets

/// A group of loops that is stopped with the test.
final class TestLoops: Sendable {
    let group: EventLoopGroup

    init(count: Int = 1) throws { group = try EventLoopGroup(count: count) }

    deinit { group.stop() }

    var loop: EventLoop { group.loops[0] }

    /// Runs the body as a channel's task and returns its result.
    func run<Result: Sendable>(
        _ raw: Int32, _ body: @escaping @Sendable (SocketChannel) async -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            loop.adopt(Descriptor(raw), peer: .unix("")) { channel in
                continuation.resume(returning: await body(channel))
            }
        }
    }

    /// Runs the work on the loop.
    func submit<Result: Sendable>(
        _ work: @escaping @Sendable (EventLoop) -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            loop.submit { [loop] in continuation.resume(returning: work(loop)) }
        }
    }
}

extension SocketChannel {
    static var patience: Int64 { Int64(Patience.seconds) * 1_000 }

    /// Finds nothing to read, and waits until there is something.
    func waitForMore(
        isIdle: Bool = false, milliseconds: Int64 = patience
    ) async throws(ChannelError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        defer { buffer.deallocate() }
        guard try read(into: buffer) == .wouldBlock else { return }
        try await waitReadable(until: loop.now + milliseconds, isIdle: isIdle)
    }

    /// Exactly so many bytes; fewer if the peer closes before.
    func receive(
        _ count: Int, within milliseconds: Int64 = patience
    ) async throws(ChannelError) -> [UInt8] {
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { buffer.deallocate() }
        while bytes.count < count {
            switch try read(into: .init(rebasing: buffer[bytes.count...])) {
            case .bytes(let more): bytes += buffer[bytes.count..<(bytes.count + more)]
            case .end: return bytes
            case .wouldBlock: try await waitReadable(until: loop.now + milliseconds)
            }
        }
        return bytes
    }
}
