/// Recognizes streams that a client opens although it has skipped their numbers before, which
/// libnghttp2 ignores (RFC 9113 §5.1.1).
struct SkippedStreamDetector: Sendable {
    private var last: Int32 = 0
    /// Skipped numbers, the latest gaps first. Clients have no reason to skip any.
    private var gaps: [ClosedRange<Int32>] = []
    private static let limitGaps = 8

    /// - Parameter number: That of the stream of a field block.
    mutating func accepts(_ number: Int32) -> Bool {
        guard number > last else { return !gaps.contains { $0.contains(number) } }
        if number > last + 2 {
            gaps.insert((last + 1)...(number - 1), at: 0)
            if gaps.count > Self.limitGaps { gaps.removeLast() }
        }
        last = number
        return true
    }
}
