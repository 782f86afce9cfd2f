public import ArticleAPI

/// The unsent writes of an outbox, and the conditions that it waits for.
///
/// ```swift
/// for await state in outbox.states {
///     unsent = state.entries.count
///     needsDecision = !state.conflicts.isEmpty || !state.confirmations.isEmpty
///     if unsent == 0 { break }
/// }
/// ```
public struct OutboxState: Sendable, Hashable {
    /// Everything that is not done, in the order in which it was written.
    public let entries: [OutboxEntry]
    /// The reason why nothing is sent; `nil` if writes are sent.
    public let pause: Pause?
    /// Stored writes of a newer version of the app, which are left to that version.
    public let unreadable: Int

    /// The reason why nothing is sent.
    public enum Pause: Sendable, Hashable {
        /// `Outbox.run()` has not been called, or has ended.
        case notRunning
        /// The account is not signed in, or has to sign in again.
        case signedOut
        /// The store cannot be written, and nothing is sent before that was noted there.
        case storeFailed(OfflineError)
    }

    package init(entries: [OutboxEntry], pause: Pause?, unreadable: Int) {
        self.entries = entries
        self.pause = pause
        self.unreadable = unreadable
    }

    /// Those that are being sent.
    public var sending: [OutboxEntry] { entries.filter { $0.status == .sending } }

    /// Those that are sent as soon as that is possible, or at their time.
    public var waiting: [OutboxEntry] {
        entries.filter { if case .waiting = $0.status { true } else { false } }
    }

    /// Those that `Outbox.resolve` is to decide.
    public var conflicts: [OutboxEntry] {
        entries.filter { if case .conflict = $0.status { true } else { false } }
    }

    /// Those that `Outbox.sendAgain` or `Outbox.discard` is to decide.
    public var confirmations: [OutboxEntry] { entries.filter { $0.status == .needsConfirmation } }

    /// Those that the backend has not accepted.
    public var rejections: [OutboxEntry] {
        entries.filter { if case .rejected = $0.status { true } else { false } }
    }

    /// The time at which the next write is tried again that failed before; `nil` if there is none.
    public var nextAttempt: Timestamp? {
        entries.compactMap { entry in
            if case .waiting(let until) = entry.status { until } else { nil }
        }.min()
    }
}
