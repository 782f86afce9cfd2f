import ArticleStore
import CBroadsheetPostgres

/// Whole rows, read and written by COPY in binary form (`RowFormat`).
extension PostgresSession {
    /// Calls the body with each row of a query, which is valid during the call.
    func read(
        rowsOf query: String, _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) {
        try begin("COPY (\(query)) TO STDOUT (FORMAT binary)", PGRES_COPY_OUT)
        do throws(StoreError) {
            var isFirst = true
            while let message = try nextMessage() {
                defer { PQfreemem(message.start) }
                var row = UnsafeRawBufferPointer(start: message.start, count: message.count)
                if isFirst {
                    row = UnsafeRawBufferPointer(rebasing: row.dropFirst(RowFormat.header.count))
                }
                isFirst = false
                if row.isEmpty || row.elementsEqual(RowFormat.trailer) { continue }
                try body(row)
            }
        } catch {
            if !isLost { canceller?.cancel() }
            while let message = try? nextMessage() { PQfreemem(message.start) }
            try? end()
            throw error
        }
        try end()
    }

    /// Appends rows to a table: those that the body passes on.
    ///
    /// - Parameter target: the table, and its columns in parentheses.
    func write(
        rowsTo target: String,
        _ body: ((UnsafeRawBufferPointer) throws(StoreError) -> Void) throws(StoreError) -> Void
    ) throws(StoreError) {
        try begin("COPY \(target) FROM STDIN (FORMAT binary)", PGRES_COPY_IN)
        do throws(StoreError) {
            var pending = RowFormat.header
            try body { (row) throws(StoreError) in
                pending.append(contentsOf: row)
                guard pending.count >= Self.messageBytes else { return }
                try send(pending)
                pending.removeAll(keepingCapacity: true)
            }
            try send(pending + RowFormat.trailer)
        } catch {
            PQputCopyEnd(handle, "the rows could not be read")
            try? end()
            throw error
        }
        guard PQputCopyEnd(handle, nil) == 1 else { throw lost() }
        try end()
    }

    private static let messageBytes = 64 << 10

    private func begin(_ text: String, _ status: ExecStatusType) throws(StoreError) {
        try settle()
        let result = PQexec(handle, text)
        guard PQresultStatus(result) == status else {
            _ = try checked(result)
            throw .unavailable("PostgreSQL did not begin to copy rows")
        }
        PQclear(result)
    }

    private func nextMessage() throws(StoreError) -> (
        start: UnsafeMutablePointer<CChar>, count: Int
    )? {
        var start: UnsafeMutablePointer<CChar>?
        let count = PQgetCopyData(handle, &start, 0)
        if count == -1 { return nil }
        guard count > 0, let start else { throw lost() }
        return (start, Int(count))
    }

    private func send(_ bytes: [UInt8]) throws(StoreError) {
        let code = bytes.withUnsafeBytes { bytes in
            PQputCopyData(
                handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
        }
        guard code == 1 else { throw lost() }
    }

    /// Waits for the outcome of the COPY.
    private func end() throws(StoreError) {
        var failure: StoreError?
        while let result = PQgetResult(handle) {
            do throws(StoreError) { _ = try checked(result) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        if isLost { throw lost() }
    }
}
