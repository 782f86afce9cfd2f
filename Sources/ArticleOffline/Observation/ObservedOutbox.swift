public import Observation

/// The unsent writes of an outbox, for a view that shows them.
///
/// ```swift
/// let shown = ObservedOutbox(outbox)
/// var unsent: Int { shown.state?.entries.count ?? 0 }
/// ```
///
/// It follows the outbox's state while it exists, and does not keep the outbox alive; `run` of the
/// outbox is called elsewhere. It is used on the main actor.
@MainActor @Observable
public final class ObservedOutbox {
    /// `nil` until the outbox was read.
    public private(set) var state: OutboxState?
    @ObservationIgnored private var following: ObservationTask?

    public init(_ outbox: Outbox) {
        following = ObservationTask(outbox.states) { [weak self] in self?.state = $0 }
    }
}
