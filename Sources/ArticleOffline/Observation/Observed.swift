public import Observation

/// Anything that a store reports, for a view that shows it: a model, a list, a value.
///
/// ```swift
/// let notes = Observed(store.models(Note.self))
/// var texts: [String] { notes.value?.compactMap(\.text) ?? [] }
/// ```
///
/// It follows the store while it exists, and keeps neither the store nor anything else alive. It is
/// used on the main actor.
@MainActor @Observable
public final class Observed<Value: Sendable & Equatable> {
    /// `nil` until the store was read.
    public private(set) var value: Value?
    @ObservationIgnored private var following: ObservationTask?

    public init(_ updates: StoreUpdates<Value>) {
        following = ObservationTask(updates) { [weak self] in self?.value = $0 }
    }
}
