import ArticleAPI

extension WriteStep {
    /// Runs the step unless it was done before, and keeps what became of it under the key.
    ///
    /// A refusal that is to be kept undoes the step alone: it is the result, and no error.
    func once<Value>(
        _ key: WriteKey, at time: Timestamp, _ kept: (Value) -> KeptWrite,
        _ work: (WriteStep) throws(StoreError) -> Value
    ) throws(StoreError) -> Result<Value, StoreError> {
        if let earlier = try keptWrite(key.scope, at: time) {
            throw earlier.request == key.request ? .repeated(earlier.write) : .keyReused
        }
        try makeRoom(at: time)
        try connection.execute(SQL.itemSavepoint)
        let result: Result<Value, StoreError>
        let write: KeptWrite
        do throws(StoreError) {
            // A step of its own: names that are undone must not be remembered.
            let value = try work(WriteStep(connection, state.configuration))
            (result, write) = (.success(value), kept(value))
        } catch {
            guard connection.isInTransaction, let refusal = key.refusal(error),
                refusal.count <= WriteKey.refusalBytes
            else { throw error }
            try connection.execute(SQL.rollbackToItem)
            (result, write) = (.failure(error), .refused(refusal))
        }
        try connection.execute(SQL.releaseItem)
        try keep(write, key, at: time)
        return result
    }

    /// What is kept under the scope; what was kept for long enough is not there any more.
    private func keptWrite(
        _ scope: [UInt8], at time: Timestamp
    ) throws(StoreError) -> (request: [UInt8], write: KeptWrite)? {
        let row = try connection.statement(SQL.keptWrite)
        try row.bind(1, scope)
        guard try row.step() else { return nil }
        guard row.integer(1) > time.milliseconds - WriteKey.keptMilliseconds else {
            let old = try connection.statement(SQL.removeKeptWrite)
            try old.bind(1, row.integer(0))
            try old.run()
            return nil
        }
        let write: KeptWrite =
            switch row.integer(3) {
            case 0: .changed
            case 1: .made(row.isNull(4) ? nil : try row.identifier(4))
            default: .refused(row.bytes(5))
            }
        return (row.bytes(2), write)
    }

    /// Each new row takes up to four old ones away, so there are as many as are written in 24
    /// hours; and never more than the limit.
    private func makeRoom(at time: Timestamp) throws(StoreError) {
        let old = try connection.statement(SQL.removeOldWrites)
        try old.bind(1, time.milliseconds - WriteKey.keptMilliseconds)
        try old.run()
        let count = try connection.statement(SQL.keptWriteCount)
        guard try count.step(), count.integer(0) < state.configuration.keptWrites else {
            throw .tooMany("writes with a key within 24 hours")
        }
    }

    private func keep(
        _ write: KeptWrite, _ key: WriteKey, at time: Timestamp
    ) throws(StoreError) {
        let row = try connection.statement(SQL.insertKeptWrite)
        try row.bind(1, key.scope)
        try row.bind(2, key.request)
        try row.bind(3, time)
        switch write {
        case .changed: try row.bind(4, 0)
        case .made(let article):
            try row.bind(4, 1)
            if let article { try row.bind(5, article) }
        case .refused(let refusal):
            try row.bind(4, 2)
            try row.bind(6, refusal)
        }
        try row.run()
    }
}
