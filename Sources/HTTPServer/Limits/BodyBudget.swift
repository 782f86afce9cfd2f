import Synchronization

/// Limits the bytes of request bodies in memory, over all connections.
///
/// A quarter is reserved for small bodies, so that a few clients with large, slow uploads do not
/// keep others from writing.
final class BodyBudget: Sendable {
    private let limit: Int
    private let used = Atomic<Int>(0)
    /// Bodies up to this size are small.
    static let smallBytes = 64 << 10

    init(limit: Int) { self.limit = limit }

    var usedBytes: Int { used.load(ordering: .relaxed) }

    /// Reserves memory for more of a body; false, without reserving any, if the budget is
    /// exhausted.
    ///
    /// - Parameter total: The size of the body including these bytes.
    func take(_ count: Int, total: Int) -> Bool {
        let limit = total <= Self.smallBytes ? limit : limit - limit / 4
        let (_, now) = used.add(count, ordering: .relaxed)
        if now <= limit { return true }
        give(count)
        return false
    }

    func give(_ count: Int) { used.subtract(count, ordering: .relaxed) }
}
