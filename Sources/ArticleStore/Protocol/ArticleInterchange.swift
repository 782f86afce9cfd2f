/// Takes whole articles in and gives everything out: what import and export need of a store.
public protocol ArticleInterchange: Sendable {
    /// Takes in a batch of imported articles in one durable step, each on its own: one that fails
    /// does not keep the others out.
    func importArticles(
        _ items: [ImportItem], by edit: Edit, dryRun: Bool
    ) async throws(StoreError) -> [Result<ImportOutcome, StoreError>]

    /// Everything but keys and secrets, as of one moment: authors, then articles in the order of
    /// their ids, each followed by its revisions in order. Stops with what `body` throws
    /// (`.rejected`).
    func export(_ body: @escaping @Sendable (ExportRecord) throws -> Void) async throws(StoreError)

    /// Takes exported records in, in their order, in one durable step: same ids, revisions, times
    /// and bytes. A record that is there already and equal is skipped; one that differs is
    /// `.conflict`.
    func restore(_ records: [ExportRecord], dryRun: Bool) async throws(StoreError) -> RestoreCounts

    /// The number of the last committed change; 0 in an empty store.
    func changeSequence() async throws(StoreError) -> Int64

    /// How many articles live here (tombstones not counted).
    func articleCount() async throws(StoreError) -> Int
}
