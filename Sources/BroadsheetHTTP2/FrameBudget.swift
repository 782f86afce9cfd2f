import CBroadsheetNghttp2

/// Bounds the frames that cause work without transporting anything: pings, settings, resets,
/// priorities, window updates, empty data, continuations, and those of unknown types.
///
/// A peer has an allowance of such frames, which time and useful work replenish. A peer that
/// exceeds it is cut off: no client needs that many.
struct FrameBudget: Sendable {
    /// Monotonic milliseconds of the last refill.
    private var time: Int64
    private var frames = FrameBudget.limitFrames
    private var resets = FrameBudget.limitResets
    /// Octets that belong to no frame of a known type, about which libnghttp2 does not report.
    private var unknownBytes = 0
    /// The remainders of refills, in thousandths.
    private var parts = (frames: 0, resets: 0)

    static let limitFrames = 2_000
    private static let framesPerSecond = 100
    /// Streams that end before their response: those that the peer resets, and those that it makes
    /// us reset.
    static let limitResets = 400
    private static let resetsPerSecond = 40
    /// A request may be followed by some window updates and priorities.
    private static let framesPerMessage = 4
    /// A peer may send two window updates for each data frame.
    private static let framesPerSentData = 3

    /// Servers send events in small pieces, also many at a time.
    private let chargesSmallData: Bool

    /// - Parameter role: That of the session, not of the peer.
    init(of role: HTTP2Session.Role, now: Int64) {
        time = now
        chargesSmallData = role == .server
    }

    var isExceeded: Bool { frames < 0 || resets < 0 }

    mutating func refill(now: Int64) {
        let passed = Int(min(max(0, now - time), 60_000))
        guard passed > 0 else { return }
        time = now
        let more = (
            frames: parts.frames + passed * Self.framesPerSecond,
            resets: parts.resets + passed * Self.resetsPerSecond
        )
        frames = min(Self.limitFrames, frames + more.frames / 1_000)
        resets = min(Self.limitResets, resets + more.resets / 1_000)
        parts = (more.frames % 1_000, more.resets % 1_000)
    }

    /// Charges octets that do not belong to the frames that were reported.
    mutating func chargeReceived(_ count: Int) {
        unknownBytes += count
        guard unknownBytes >= Self.limitUnknownBytes else { return }
        frames -= unknownBytes / 16
        unknownBytes = 0
    }

    private static let limitUnknownBytes = 4 << 10

    /// Charges a frame that begins to arrive.
    mutating func charge(_ header: nghttp2_frame_hd) {
        unknownBytes -= 9 + header.length
        switch UInt32(header.type) {
        case NGHTTP2_DATA.rawValue:
            let isEnd = header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
            if header.length == 0 { frames -= isEnd ? 0 : 2 } else { earn(header.length / 256) }
            if !isEnd, header.length < 64, chargesSmallData { frames -= 1 }
        case NGHTTP2_SETTINGS.rawValue: frames -= 10
        case NGHTTP2_CONTINUATION.rawValue: frames -= 4
        default: frames -= 1
        }
    }

    mutating func chargeReset() { resets -= 1 }

    /// A request or a response has arrived.
    mutating func earnMessage() { earn(Self.framesPerMessage) }

    /// A data frame was sent.
    mutating func earnSentData() { earn(Self.framesPerSentData) }

    private mutating func earn(_ count: Int) {
        if frames >= 0 { frames = min(Self.limitFrames, frames + count) }
    }
}
