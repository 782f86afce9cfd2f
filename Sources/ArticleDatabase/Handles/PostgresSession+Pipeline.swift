import ArticleStore
import CBroadsheetPostgres

/// Writes of a transaction that were sent without waiting for their results. See
/// `PostgresSession.send`.
struct PostgresPipeline {
    fileprivate var statements = 0
    /// The failure of the first of them that failed; `nil` if none did.
    fileprivate var failure: StoreError?

    /// A batch of results has to fit into the buffers of a socket: they are not read meanwhile.
    fileprivate static let limit = 64
}

/// Statements whose results are not needed are sent one after the other, and their results are read
/// together: a round trip costs more than most of them.
/// (https://www.postgresql.org/docs/15/libpq-pipeline-mode.html)
///
/// If one fails, the server ignores those that follow, and the transaction can only be rolled back.
/// The failure is thrown by `settle`, which precedes each further statement, and so each commit.
extension PostgresSession {
    /// Executes a prepared statement of the open transaction, whose result is not needed.
    func send(
        _ query: PostgresQuery, _ parameters: borrowing PostgresParameters
    ) throws(StoreError) {
        try prepare(query, parameters)
        if pending.statements == 0 {
            try throwPendingFailure()
            // Outside of a transaction, the statements would be committed together or not at all.
            guard isInGoodTransaction, PQenterPipelineMode(handle) == 1 else {
                _ = try execute(query, parameters)
                return
            }
        }
        let isSent = parameters.lend { count, values, lengths, formats in
            PQsendQueryPrepared(handle, query.name, count, values, lengths, formats, 1)
        }
        guard isSent == 1 else {
            readPendingResults()
            throw lost()
        }
        pending.statements += 1
        if pending.statements >= PostgresPipeline.limit { try settle() }
    }

    /// Reads the results of the statements sent, and throws the first failure.
    func settle() throws(StoreError) {
        readPendingResults()
        try throwPendingFailure()
    }

    /// Reads the results of the statements sent; `settle` throws the first failure.
    func readPendingResults() {
        guard pending.statements > 0 else { return }
        if PQpipelineSync(handle) == 0 { pending.failure = pending.failure ?? lost() }
        for _ in 0..<pending.statements {
            if pending.failure == nil {
                do throws(StoreError) { _ = try checked(PQgetResult(handle)) } catch {
                    pending.failure = error
                }
            }
            // A statement has one result, and then none.
            while let result = PQgetResult(handle) { PQclear(result) }
        }
        pending.statements = 0
        // That of the synchronization.
        if let result = PQgetResult(handle) { PQclear(result) }
        if PQexitPipelineMode(handle) == 0 { pending.failure = pending.failure ?? lost() }
    }

    /// Reads the results of the statements sent, which are rolled back.
    func forgetPendingResults() {
        readPendingResults()
        pending.failure = nil
    }

    private func throwPendingFailure() throws(StoreError) {
        guard let failure = pending.failure else { return }
        pending.failure = nil
        throw failure
    }
}
