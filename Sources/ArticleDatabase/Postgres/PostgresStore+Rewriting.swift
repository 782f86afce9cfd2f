public import ArticleStore
import Dispatch
import Glibc

extension PostgresStore {
    public func rewrite() async throws(StoreError) {
        let address = address
        let failure: StoreError? = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                do throws(StoreError) {
                    // Never longer than readers wait: all others queue up behind a lock.
                    let session = try PostgresSession(
                        address,
                        settings: [("statement_timeout", "0"), ("lock_timeout", "3s")])
                    try session.rewriteTables()
                    continuation.resume(returning: nil)
                } catch { continuation.resume(returning: error) }
            }
        }
        if let failure { throw failure }
    }
}

extension PostgresSession {
    /// What has texts, or what was made of them. A plain VACUUM leaves removed rows in the pages of
    /// a table until others need their place.
    private static let textTables = [
        "revisions", "bodies", "renderings", "slugs", "imports", "comments", "facets",
        "kept_writes", "search_blocks", "search_terms",
    ]
    private static let attempts = 5

    fileprivate func rewriteTables() throws(StoreError) {
        for table in Self.textTables { try rewrite(table, with: "FULL, ANALYZE") }
        // It has samples of columns. A role that may not do this gets a warning only.
        try rewrite("pg_catalog.pg_statistic", with: "FULL")
    }

    private func rewrite(_ table: String, with options: String) throws(StoreError) {
        for attempt in 1...Self.attempts {
            do throws(StoreError) {
                _ = try run("VACUUM (\(options)) \(table)")
                return
            } catch {
                guard lastState == "55P03" else { throw error }
                guard attempt < Self.attempts else { throw .busy }
                sleep(1)
            }
        }
    }
}
