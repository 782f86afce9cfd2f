import ArticleOffline
import BroadsheetTestSupport
import Testing

/// Random schedules of two users: lost requests and responses, restarts, edits by others, days that
/// pass, decisions.
@Suite struct OutboxScheduleTests {
    private static let seriesCount = 8
    /// 10,000 in all with `make faults`.
    private static let schedulesPerSeries = Thoroughness.isFull ? 1_250 : 25

    @Test(arguments: 0..<seriesCount)
    func `each write is carried out at most once, in order, and none is lost`(series: Int) {
        for number in 0..<Self.schedulesPerSeries {
            let seed = UInt64(series * Self.schedulesPerSeries + number)
            var schedule = OutboxSchedule(seed: seed)
            for _ in 0..<60 { schedule.step() }
            schedule.quiesce()
            let faults = schedule.ledger.faults(schedule.backend, schedule.clients)
            #expect(faults.isEmpty, "seed \(seed)")
            for client in schedule.clients {
                let heads = client.queue.sendable(at: schedule.now)
                #expect(heads.isEmpty, "seed \(seed): a write can be sent, and was not")
            }
        }
    }

    @Test func `schedules meet every status and outcome`() {
        let all: Set = ["waiting", "sending", "conflict", "gone", "needsConfirmation", "rejected"]
        var statuses: Set<String> = []
        for seed in 0..<2_000 as Range<UInt64> where statuses != all {
            var schedule = OutboxSchedule(seed: seed)
            for _ in 0..<60 {
                schedule.step()
                for entry in schedule.clients.flatMap(\.queue.entries) {
                    statuses.insert(name(entry.status))
                }
            }
        }
        #expect(statuses == all)
    }

    private func name(_ status: OutboxEntry.Status) -> String {
        switch status {
        case .waiting: "waiting"
        case .sending: "sending"
        case .conflict(let theirs): theirs == nil ? "gone" : "conflict"
        case .needsConfirmation: "needsConfirmation"
        case .rejected: "rejected"
        }
    }
}
