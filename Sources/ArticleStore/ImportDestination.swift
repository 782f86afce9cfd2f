/// The part of a store that imports need.
public protocol ImportDestination: Sendable {
    /// Imports a batch of articles in one durable step. Each succeeds or fails independently of the
    /// others.
    func importArticles(
        _ items: [ImportItem], by edit: Edit, dryRun: Bool
    ) async throws(StoreError) -> [Result<ImportOutcome, StoreError>]

    /// Restores exported records in order in one durable step, with the same ids, revisions, times
    /// and bytes. A record that already exists and is equal is skipped; one that differs throws
    /// `.conflict`.
    func restore(_ records: [ExportRecord], dryRun: Bool) async throws(StoreError) -> RestoreCounts

    /// The number of the last committed change; 0 in an empty store.
    func changeSequence() async throws(StoreError) -> Int64
}
