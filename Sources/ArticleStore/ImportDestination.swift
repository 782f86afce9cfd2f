/// Takes whole articles in: what an import needs of a store.
public protocol ImportDestination: Sendable {
    /// Takes in a batch of imported articles in one durable step, each on its own: one that fails
    /// does not keep the others out.
    func importArticles(
        _ items: [ImportItem], by edit: Edit, dryRun: Bool
    ) async throws(StoreError) -> [Result<ImportOutcome, StoreError>]

    /// Takes exported records in, in their order, in one durable step: same ids, revisions, times
    /// and bytes. A record that is there already and equal is skipped; one that differs is
    /// `.conflict`.
    func restore(_ records: [ExportRecord], dryRun: Bool) async throws(StoreError) -> RestoreCounts

    /// The number of the last committed change; 0 in an empty store.
    func changeSequence() async throws(StoreError) -> Int64
}
