import Synchronization

/// What did not go out at once of an answer. The body is not copied: many may wait for one.
struct Unsent {
    let head: [UInt8]
    let body: [UInt8]
    /// How many bytes of both are out.
    let start: Int

    var count: Int { head.count + body.count - start }
}

/// How many bytes of responses wait for slow readers, over all loops.
final class WaitingResponses: Sendable {
    private let bytes = Atomic<Int>(0)

    /// - Returns: how many there are now.
    func add(_ count: Int) -> Int { bytes.add(count, ordering: .relaxed).newValue }

    func remove(_ count: Int) { bytes.subtract(count, ordering: .relaxed) }
}
