import BroadsheetKit
import Observation

/// The library of an account, as the screens see it: whether it is current, and what is unsent.
@MainActor @Observable final class LibraryModel: Identifiable {
    let offline: OfflineLibrary
    var conditions: NetworkConditions = []
    private(set) var mirror = ArticleMirror.State.idle
    /// The writes that are not done, in the order in which they were written.
    private(set) var writes: [OutboxEntry] = []
    /// The reason why nothing is kept current any more; `nil` while it is.
    private(set) var problem: ErrorText?

    init(_ offline: OfflineLibrary) { self.offline = offline }

    /// The account that may write; `nil` for readers who are not signed in.
    var account: String? { offline.store.place.account }

    /// True if the screens show what is on the device, because the backend cannot be reached.
    var isOffline: Bool {
        if conditions.contains(.offline) { return true }
        if case .waiting(_, let error) = mirror { return error.allowsStale }
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
        async let running: Void = run()
        async let mirror: Void = followMirror()
        async let writes: Void = followWrites()
        _ = await (running, mirror, writes)
    }

    private func run() async {
        problem = nil
        do { try await offline.run() } catch {
            if !Task.isCancelled { problem = ErrorText(error) }
        }
    }

    private func followMirror() async {
        for await state in offline.mirror.states { mirror = state }
    }

    private func followWrites() async {
        for await state in offline.outbox.states { writes = state.entries }
    }
}
