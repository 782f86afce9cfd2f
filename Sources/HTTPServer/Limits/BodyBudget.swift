import Synchronization

/// How many bytes of requests' bodies are in memory, over all connections, and how many may be.
///
/// A quarter is kept for small bodies: a few clients with large ones that never end do not keep
/// others from writing.
final class BodyBudget: Sendable {
    private let limit: Int
    private let used = Atomic<Int>(0)
    /// Bodies up to this size are small.
    static let smallBytes = 64 << 10

    init(limit: Int) { self.limit = limit }

    var usedBytes: Int { used.load(ordering: .relaxed) }

    /// Takes room for more of a body; false, and nothing taken, if there is none.
    ///
    /// - Parameter total: of the body, with what is asked for.
    func take(_ count: Int, total: Int) -> Bool {
        let limit = total <= Self.smallBytes ? limit : limit - limit / 4
        let (_, now) = used.add(count, ordering: .relaxed)
        if now <= limit { return true }
        give(count)
        return false
    }

    func give(_ count: Int) { used.subtract(count, ordering: .relaxed) }
}
