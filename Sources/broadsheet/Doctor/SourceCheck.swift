import ArticleAPI
import ArticleAdminAPI
import ArticleClient
import BroadsheetPlatform

/// Checks whether the sources of a running server can be polled.
struct SourceCheck {
    /// The time between two polls of a source that does not have its own.
    let intervalSeconds: Int
    let now: Timestamp

    /// A source that has not been polled with success for so long, beyond its interval, is failing.
    private static let patienceSeconds = 86_400

    func run(_ owner: ControlClient, _ findings: inout Diagnostics) async {
        var sources: [ContentSource] = []
        var request = FetchSourcesRequest(limit: 100)
        do throws(BackendError) {
            repeat {
                let page = try await owner.backend.send(request)
                sources += page.items
                request.cursor = page.next
            } while request.cursor != nil
        } catch {
            // A server of an older version has no sources.
            if case .problem(let problem) = error, problem.status == 404 { return }
            return findings.warning(
                "sources", "the server cannot list them: \(error)", do: "check the server's log")
        }
        add(sources, &findings)
    }

    func add(_ sources: [ContentSource], _ findings: inout Diagnostics) {
        let failing = sources.filter(isFailing)
        guard let first = failing.first else {
            let count = sources.count
            return findings.ok(
                "sources",
                count == 0 ? "none" : "no poll of \(count) has failed for more than a day")
        }
        let all = failing.count.counted("source") + (failing.count == 1 ? "" : ", the first being")
        findings.warning(
            "sources",
            "for more than a day, all polls have failed of \(all) \(first.id): "
                + (first.lastError ?? ""),
            do: "broadsheet sources show \(first.id) says more; change its URL, pause or remove it")
    }

    private func isFailing(_ source: ContentSource) -> Bool {
        guard source.failures > 0, !source.isPaused else { return false }
        let seconds = Self.patienceSeconds + (source.intervalSeconds ?? intervalSeconds)
        return (source.lastSucceededAt ?? source.createdAt)
            .advanced(byMilliseconds: 1_000 * Int64(seconds)) < now
    }
}
