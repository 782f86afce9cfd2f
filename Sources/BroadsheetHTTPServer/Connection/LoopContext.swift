import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets
import Synchronization

/// The state that the connections of one loop share, so that an idle connection holds almost no
/// memory.
///
/// `@unchecked`: it is used only on its loop's thread, except for the count, which is atomic.
final class LoopContext: @unchecked Sendable {
    let loop: EventLoop
    /// The number of read buffers that connections hold.
    let buffersInUse = Atomic<Int>(0)
    /// The buffer in which prepared responses are assembled.
    let output = OutputBuffer()
    // Accesses to these never overlap, so exclusivity is not checked.
    /// The buffer in which frames of HTTP/2 are collected until they are sent.
    @exclusivity(unchecked) var frames: [UInt8] = []
    @exclusivity(unchecked) private var buffers: [ReadBuffer] = []
    /// The `Host` value that was last found to be served: the next request often has the same.
    @exclusivity(unchecked) var servedHost: [UInt8] = []
    @exclusivity(unchecked) private var heads: [[UInt8]] = []
    @exclusivity(unchecked) private var dateSeconds: Int64 = -1
    @exclusivity(unchecked) private var date: [UInt8] = []
    @exclusivity(unchecked) private var identifiers: RequestIDs
    /// The number of requests in handlers: of the current generation, and of the one before.
    @exclusivity(unchecked) private var work = 0
    @exclusivity(unchecked) private var earlierWork = 0
    @exclusivity(unchecked) private var generation = 0
    /// Called when the last of the earlier ones has finished.
    @exclusivity(unchecked) private var whenEarlierEnd: (@Sendable () -> Void)?
    /// True once handlers get no more requests: another process owns their data.
    @exclusivity(unchecked) private(set) var isClosed = false
    /// Called when the last handler has finished.
    @exclusivity(unchecked) private var whenIdle: (@Sendable () -> Void)?
    private static let kept = 64

    /// Collects the access log's lines of this loop.
    let accessLines: AccessLogBuffer?

    init(_ loop: EventLoop, _ system: SystemEnvironment, _ accessLog: AccessLog? = nil) {
        self.loop = loop
        identifiers = RequestIDs(seed: system.random())
        accessLines = accessLog.map { AccessLogBuffer($0, loop) }
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

    /// An empty array with capacity for a head and a small body.
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

    /// Counts a request that enters a handler, and returns its generation; `nil` if handlers are
    /// closed.
    func beginWork() -> Int? {
        guard !isClosed else { return nil }
        work += 1
        return generation
    }

    func endWork(_ begun: Int) {
        if begun == generation {
            work -= 1
        } else {
            earlierWork -= 1
            if earlierWork == 0, let body = whenEarlierEnd.take() { body() }
        }
        if work == 0, let body = whenIdle.take() { body() }
    }

    /// Calls the body when the requests have finished that are in handlers now. Called once.
    func whenCurrentWorkEnds(_ body: @escaping @Sendable () -> Void) {
        guard generation == 0, work > 0 else { return body() }
        (generation, earlierWork, work) = (1, work, 0)
        whenEarlierEnd = body
    }

    /// Closes handlers to new requests and calls the body when the last has finished, but for those
    /// that `whenCurrentWorkEnds` has waited for. Called once.
    func closeHandlers(_ body: @escaping @Sendable () -> Void) {
        isClosed = true
        if work == 0 { body() } else { whenIdle = body }
    }

    /// The value of `Date`, formatted once a second.
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

/// Generates request IDs, and accepts IDs from clients if they are safe in a log.
struct RequestIDs {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// 13 characters for 64 bits: short enough for a string without an allocation.
    mutating func next() -> String {
        // SplitMix64: each of its 2^64 values occurs once.
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        return String(unsafeUninitializedCapacity: 13) { buffer in
            for index in 0..<13 {
                let digit = UInt8(truncatingIfNeeded: bits & 31)
                buffer[index] = digit < 10 ? 48 + digit : 87 + digit
                bits >>= 5
            }
            return 13
        }
    }

    /// A client's request ID: up to 64 letters, digits, `.`, `_` and `-`.
    func accepted(_ text: String?) -> String? {
        guard let text, (1...64).contains(text.utf8.count) else { return nil }
        let isHarmless = text.utf8.allSatisfy { byte in
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return isHarmless ? text : nil
    }
}

extension SocketChannel {
    /// Shuts the connection down for writing, then reads and discards further bytes of the client,
    /// within limits: closing at once would reset the connection and could discard the response.
    func linger(_ limits: ServerLimits, _ loopContext: LoopContext) async {
        shutdownWrite()
        let deadline = loop.now + limits.lingerMilliseconds
        var dropped = 0
        do throws(ChannelError) {
            while dropped < limits.lingerBytes, loop.now < deadline {
                switch try discard(by: loopContext) {
                case .bytes(let count): dropped += count
                case .end: return
                case .wouldBlock: try await waitReadable(until: deadline)
                }
            }
        } catch {
            // The client has disconnected, or the time is up.
        }
    }

    private func discard(by loopContext: LoopContext) throws(ChannelError) -> ReadResult {
        let buffer = loopContext.takeBuffer()
        defer { loopContext.giveBack(buffer) }
        return try read(into: buffer.room())
    }
}
