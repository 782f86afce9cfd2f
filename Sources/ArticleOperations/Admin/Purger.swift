public import ArticleAPI
public import ArticleStore
public import BroadsheetPlatform

/// Purges articles and revisions completely: from the records, the index of the search, and the
/// files.
public struct Purger: Sendable {
    private let store: any ArticleStore
    private let file: any StoreMaintenance
    private let isServed: Bool
    private let system: SystemEnvironment

    /// The interval at which the store is asked if the index has forgotten, and the maximum wait.
    private static let pause = Duration.milliseconds(50)
    private static let patience = Duration.seconds(600)

    /// - Parameter isServed: true if this process or another one keeps the index of the search.
    public init(
        store: any ArticleStore, file: any StoreMaintenance, isServed: Bool,
        system: SystemEnvironment
    ) {
        self.store = store
        self.file = file
        self.isServed = isServed
        self.system = system
    }

    /// Returns when nothing is left.
    ///
    /// - Parameters:
    ///   - revisions: empty for the whole article.
    ///   - removed: called when the records were removed. If this throws after that, its reason is
    ///     a sentence for the caller: the files may still have the text, and it can be called
    ///     again, to do the rest.
    public func purge(
        _ id: Article.ID, revisions: [Int], by edit: Edit,
        removed: (PurgeCounts) -> Void = { _ in }
    ) async throws(StoreError) -> PurgeCounts {
        let counts = try await store.purge(id, revisions: revisions, by: edit)
        removed(counts)
        do throws(StoreError) {
            if isServed {
                try await waitForSearch(toForget: id)
            } else {
                // The next server builds it again.
                try await store.eraseSearch()
            }
            try await file.rewrite()
        } catch {
            throw .unavailable(
                "the records were removed, but the files may still contain the text, because "
                    + "\(error.reason); repeat the purge later")
        }
        return counts
    }

    /// The leader among the servers of the database writes parts of the index again.
    private func waitForSearch(toForget id: Article.ID) async throws(StoreError) {
        let end = system.uptime + Self.patience
        while try await store.searchPurges()[id] != nil {
            guard !Task.isCancelled, system.uptime < end else {
                throw .unavailable("the search index still contains what was purged")
            }
            await system.sleep(Self.pause)
        }
    }
}
