import BroadsheetKit
import Observation

/// The library of an account, as the screens see it: whether it is current, and what is unsent.
@MainActor @Observable final class LibraryModel: Identifiable {
    let offline: OfflineLibrary
    var conditions: NetworkConditions = []
    /// The reason why nothing is kept current any more; `nil` while it is.
    private(set) var problem: ErrorText?
    @ObservationIgnored private let mirror: ObservedMirror
    @ObservationIgnored private let outbox: ObservedOutbox

    init(_ offline: OfflineLibrary) {
        self.offline = offline
        mirror = ObservedMirror(offline.mirror)
        outbox = ObservedOutbox(offline.outbox)
    }

    /// The account that may write; `nil` for readers who are not signed in.
    var account: String? { offline.store.place.account }

    /// The writes that are not done, in the order in which they were written.
    var writes: [OutboxEntry] { outbox.state?.entries ?? [] }

    /// True if the screens show what is on the device, because the backend cannot be reached.
    var isOffline: Bool {
        if conditions.contains(.offline) { return true }
        if case .waiting(_, let error) = mirror.state { return error.allowsStale }
        return false
    }

    /// The number of writes that wait for a decision of their user.
    var decisionCount: Int {
        writes.count {
            switch $0.status {
            case .conflict, .needsConfirmation, .rejected: true
            case .waiting, .sending: false
            }
        }
    }

    /// Keeps the articles current and sends what was written, while its task runs.
    func follow() async {
        problem = nil
        do { try await offline.run() } catch {
            if !Task.isCancelled { problem = ErrorText(error) }
        }
    }
}
