import Synchronization

/// The part of a response that was not written at once. The body is not copied, as many connections
/// may send the same one.
struct Unsent {
    let head: [UInt8]
    let body: [UInt8]
    /// How many bytes of both were written.
    let start: Int

    var count: Int { head.count + body.count - start }
}

/// The bytes of responses that wait for slow readers, over all loops.
final class WaitingResponses: Sendable {
    private let bytes = Atomic<Int>(0)

    /// - Returns: The new total.
    func add(_ count: Int) -> Int { bytes.add(count, ordering: .relaxed).newValue }

    func remove(_ count: Int) { bytes.subtract(count, ordering: .relaxed) }
}
