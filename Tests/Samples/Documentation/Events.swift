import BroadsheetKit

/// The exchanges under way and those that have ended, while a screen shows them.
@MainActor final class NetworkLog {
    private(set) var active: [ExchangeContext.ID: String] = [:]
    private(set) var lines: [String] = []

    /// Returns when its task is cancelled, such as that of a view.
    func follow(_ backend: BackendService) async {
        for await event in backend.events {
            switch event.kind {
            case .started: active[event.id] = "\(event.method) \(event.target)"
            case .finished(let result):
                guard let name = active.removeValue(forKey: event.id) else { continue }
                let outcome = (try? result.get()).map { "\($0)" } ?? "failed"
                lines.append("\(name), attempt \(event.id.attempt): \(outcome)")
            default: break
            }
        }
    }
}
