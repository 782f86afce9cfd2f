public import Observation

/// The state of a mirror, for a view that shows it.
///
/// ```swift
/// let shown = ObservedMirror(mirror)
/// var isOld: Bool { shown.state != .live }
/// ```
///
/// It follows the mirror's state while it exists, and does not keep the mirror alive; `run` of the
/// mirror is called elsewhere. It is used on the main actor.
@MainActor @Observable
public final class ObservedMirror {
    public private(set) var state: ArticleMirror.State
    @ObservationIgnored private var following: ObservationTask?

    public init(_ mirror: ArticleMirror) {
        state = mirror.state
        following = ObservationTask(mirror.states) { [weak self] in self?.receive($0) }
    }

    private func receive(_ state: ArticleMirror.State) {
        // The first value is usually the one that it began with.
        if self.state != state { self.state = state }
    }
}
