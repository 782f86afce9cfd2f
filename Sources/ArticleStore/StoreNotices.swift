import BroadsheetPlatform

/// Notices about a store for the operator, one sentence each. Those added before there is a
/// receiver are kept, up to a limit.
///
/// Safe to use from any thread.
///
/// ```swift
/// let notices = StoreNotices()
/// notices.receive { continuation.yield($0) }
/// notices.add("The database was set back.")
/// ```
public final class StoreNotices: Sendable {
    private struct State {
        var pending: [String] = []
        var receiver: (@Sendable (String) -> Void)?
    }

    private let state = Lock(State())
    private static let limit = 16

    public init() {}

    public func add(_ text: String) {
        let receiver = state.withLock { state in
            let isKept = state.receiver == nil && state.pending.count < Self.limit
            if isKept { state.pending.append(text) }
            return state.receiver
        }
        receiver?(text)
    }

    /// Passes them to the receiver from now on.
    public func receive(_ receiver: @escaping @Sendable (String) -> Void) {
        let pending = state.withLock { state in
            state.receiver = receiver
            defer { state.pending = [] }
            return state.pending
        }
        for text in pending { receiver(text) }
    }
}
