import ArticleAPI
import ArticleAdminAPI
import ArticleDatabase
import ArticleOperations
import ArticleServices
import ArticleStore
import BroadsheetCommandLine
import BroadsheetPlatform

/// Removes an article or revisions for good.
struct PurgeCommand: Command {
    static let name = "purge"
    static let summary =
        "Permanently removes an article or some of its revisions, also from the files."
    static let usage = "ARTICLE --reason TEXT [--revision N]… [options]"
    static let example =
        "broadsheet purge 01890a5d-ac96-774b-bcce-b302099a8057 --reason 'court order 7 O 12/26'"
    static let options = [
        Option(
            "reason", "TEXT",
            "Reason for the server's log: 1 to \(Purge.limitReason) characters."),
        Option(
            "revision", "N", "Revision to purge; without it, the whole article is purged.",
            repeatable: true),
        CommonOptions.database, CommonOptions.config,
    ]

    let purge: Purge
    let path: String

    init(_ settings: Settings) throws(CommandFailure) {
        path = settings.database
        guard settings.operands.count == 1, let article = Article.ID(settings.operands[0]) else {
            throw CommandFailure(.usage, "expected the id of one article; see --help")
        }
        let reason = try settings.parsed(
            "reason", expecting: "a line of 1 to \(Purge.limitReason) characters"
        ) { text in
            (1...Purge.limitReason).contains(text.unicodeScalars.count)
                && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
                ? text : nil
        }
        guard let reason else {
            throw CommandFailure(.usage, "missing --reason: the reason for the log")
        }
        var revisions: [Int] = []
        for value in settings.all("revision") {
            guard let number = Int(value.text), (1...1_000_000).contains(number) else {
                throw settings.wrong(value, "not the number of a revision")
            }
            revisions.append(number)
        }
        guard revisions.count <= Purge.limitRevisions else {
            throw CommandFailure(
                .usage, "more than \(Purge.limitRevisions) revisions; purge them in several steps")
        }
        purge = Purge(
            article: article, revisions: revisions.isEmpty ? nil : revisions, reason: reason)
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        let counts = try await counts(in: system)
        try Console.print(
            "purged \(purge.article): \(counts.revisions.counted("revision")), "
                + "\(counts.comments.counted("comment"))")
    }

    private func counts(in system: SystemEnvironment) async throws(CommandFailure) -> PurgeCounts {
        // Any process could do it, but only a server has a log.
        if PostgresAddress.isAddress(path), let owner = await ControlClient(ofDatabase: path) {
            return try await counts(of: owner)
        }
        return try await Database.with(path, mode: .existing, in: system) {
            (database) throws(CommandFailure) in
            switch database {
            case .served(let owner): return try await counts(of: owner)
            case .opened(let store):
                let node = store.node
                let purger = Purger(
                    store: store, file: store, isServed: !node.isAlone && node.serverCount > 0,
                    system: system)
                do throws(StoreError) {
                    return try await purger.purge(
                        purge.article, revisions: purge.revisions ?? [],
                        by: Edit(at: system.now, by: .operator))
                } catch { throw CommandFailure(error) }
            }
        }
    }

    private func counts(of owner: ControlClient) async throws(CommandFailure) -> PurgeCounts {
        do throws(StoreError) { return try await owner.purge(purge) } catch {
            throw CommandFailure(error)
        }
    }
}
