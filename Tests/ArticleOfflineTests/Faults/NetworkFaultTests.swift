import ArticleClient
import BroadsheetTestSupport
import Testing

/// Networks between an app and its backend. Whatever they respond, only the backend rejects writes,
/// ends sessions and removes copies; and everything goes on when the network is right again.
@Suite(.serialized, .timeLimit(.minutes(Patience.minutes)))
struct NetworkFaultTests {
    private func meet(
        _ fault: FaultyNetwork.Fault, _ end: @Sendable (TwoEditorBackend, FaultyApp) -> Void
    ) async throws {
        try await TwoEditorBackend.run { room in
            let app = try await FaultyApp(room)
            try await app.begin()
            try app.network.set(fault)
            try await app.use(fault)
            try await app.editElsewhere()
            try app.network.set(nil)
            end(room, app)
            try await app.recover()
            await app.end()
        }
    }

    /// One fault of each kind in every run: its way back does not depend on the fault.
    @Test(arguments: Thoroughness.isFull ? FaultyNetwork.Fault.all : FaultyNetwork.Fault.kinds)
    func `everything goes on at once when the network has changed`(
        fault: FaultyNetwork.Fault
    ) async throws {
        try await meet(fault) { _, app in app.backend.networkDidChange() }
    }

    @Test(arguments: FaultyNetwork.Fault.all)
    func `everything goes on by itself`(fault: FaultyNetwork.Fault) async throws {
        try await meet(fault) { room, _ in room.clock.hurry() }
    }
}
