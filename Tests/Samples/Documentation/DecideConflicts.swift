import BroadsheetKit

/// Asks about each edit that meets another one, with the article as it was, and as both made it.
func decideConflicts(
    of library: OfflineLibrary,
    keepsMine: (_ base: Article?, _ mine: Article?, _ theirs: Article?) async -> Bool
) async throws(OfflineError) {
    for entry in await library.outbox.state.conflicts {
        guard case .conflict(let theirs) = entry.status else { continue }
        let mine = [entry].overlay(on: entry.base)
        let decision = await keepsMine(entry.base, mine, theirs)
        try await library.outbox.resolve(entry.number, decision ? .keepMine : .keepTheirs)
    }
}
