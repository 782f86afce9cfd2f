import HTTP
import Sockets
import Synchronization

/// What the connections of one loop share, so that an idle connection holds next to nothing.
///
/// `@unchecked`: it is used on its loop's thread alone, except for the count, which is atomic.
final class LoopContext: @unchecked Sendable {
    let loop: EventLoop
    /// Read buffers that connections hold now.
    let buffersInUse = Atomic<Int>(0)
    /// Where answers that are ready are put together.
    let output = OutputBuffer()
    // No access to these is still open when the next begins, so none needs to be watched.
    @exclusivity(unchecked) private var buffers: [ReadBuffer] = []
    /// The host that was last found to be served, as it stood in its request: the next is often the
    /// same.
    @exclusivity(unchecked) var servedHost: [UInt8] = []
    @exclusivity(unchecked) private var heads: [[UInt8]] = []
    @exclusivity(unchecked) private var dateSeconds: Int64 = -1
    @exclusivity(unchecked) private var date: [UInt8] = []
    @exclusivity(unchecked) private var identifiers = RequestIDs()
    /// Requests that handlers are at.
    @exclusivity(unchecked) private var work = 0
    /// Handlers are given nothing any more: what they need is another process's.
    @exclusivity(unchecked) private(set) var isClosed = false
    /// Waits for the last handler.
    @exclusivity(unchecked) private var whenIdle: (@Sendable () -> Void)?
    private static let kept = 64

    /// What the access log gets of this loop.
    let accessLines: AccessLines?

    init(_ loop: EventLoop, _ accessLog: AccessLog? = nil) {
        self.loop = loop
        accessLines = accessLog.map { AccessLines($0, loop) }
    }

    func takeBuffer() -> ReadBuffer {
        buffersInUse.add(1, ordering: .relaxed)
        return buffers.popLast() ?? ReadBuffer()
    }

    func giveBack(_ buffer: ReadBuffer) {
        buffersInUse.subtract(1, ordering: .relaxed)
        buffer.removeAll()
        if buffers.count < Self.kept { buffers.append(buffer) }
    }

    /// An empty array with room for a head and a small body.
    func takeHead() -> [UInt8] {
        if let head = heads.popLast() { return head }
        var head: [UInt8] = []
        head.reserveCapacity(4_096)
        return head
    }

    func giveBack(_ head: consuming [UInt8]) {
        guard heads.count < Self.kept, head.capacity <= 64 << 10 else { return }
        head.removeAll(keepingCapacity: true)
        heads.append(head)
    }

    /// A handler begins with a request; false once handlers are closed.
    func beginWork() -> Bool {
        guard !isClosed else { return false }
        work += 1
        return true
    }

    func endWork() {
        work -= 1
        if work == 0, let body = whenIdle.take() { body() }
    }

    /// Gives handlers no more requests, and calls the body when the last has ended. Once.
    func closeHandlers(_ body: @escaping @Sendable () -> Void) {
        isClosed = true
        if work == 0 { body() } else { whenIdle = body }
    }

    /// The value of `Date`, made once a second.
    var dateText: [UInt8] {
        let now = loop.wallSeconds
        if now != dateSeconds {
            dateSeconds = now
            date = Array(HTTPDate.text(now).utf8)
        }
        return date
    }

    func requestID(for fields: borrowing HTTPFields) -> String {
        identifiers.accepted(fields[.xRequestID]) ?? identifiers.next()
    }
}
