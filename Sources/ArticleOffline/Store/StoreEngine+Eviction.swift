import ArticleAPI
import BroadsheetSQLite

/// The limit in bytes.
extension StoreEngine {
    /// The size of all models.
    func totalBytes() throws(OfflineError) -> Int {
        let row = try connection.statement("SELECT bytes FROM totals")
        guard try row.step() else { throw .damaged("the size of the store is missing") }
        return row.number(0)
    }

    /// Removes models that were not seen for the longest time, while there are too many.
    ///
    /// - Parameter before: the size before the transaction. One that frees space succeeds even if
    ///   there is still too much.
    /// - Throws: `full` if the others have to stay.
    func shrink(from before: Int) throws(OfflineError) {
        var total = try totalBytes()
        guard total > limits.bytes else { return }
        while total > limits.bytes {
            let loose = try evictableModels()
            guard !loose.isEmpty else {
                guard total <= before else { throw .full }
                break
            }
            for model in loose where total > limits.bytes {
                try removeModel(model.kind, model.id)
                // A damaged row may have any size.
                total &-= model.bytes
            }
        }
        try names.removeUnused(in: connection)
    }

    private struct EvictableModel {
        let kind: Int
        let id: [UInt8]
        let bytes: Int
    }

    private func evictableModels() throws(OfflineError) -> [EvictableModel] {
        let row = try connection.statement(
            "SELECT kind, id, bytes FROM models WHERE holds = 0 ORDER BY seen LIMIT 64")
        var models: [EvictableModel] = []
        while try row.step() {
            models.append(
                EvictableModel(
                    kind: row.number(0), id: row.bytes(1), bytes: row.number(2)))
        }
        return models
    }

    /// Removes a model of any type, also of one that this app does not have, or a response.
    func removeModel(_ kind: Int, _ id: [UInt8]) throws(OfflineError) {
        guard let type = try typeName(kind) else { throw .damaged("a type of models has no row") }
        if kind == StoreSchema.commentKind, let comment = ArticleComment.ID(storedBytes: id),
            let article = try comments.facts(comment, in: connection)?.model()?.articleID
        {
            note(.comments(article))
        }
        let row = try connection.statement("DELETE FROM models WHERE kind = ?1 AND id = ?2")
        try row.bind(1, kind)
        try row.bind(2, id)
        try row.run()
        usedTable(named: type)?.forget(stored: id)
        if kind == StoreSchema.responseKind {
            deferredResponses[id] = nil
        } else {
            note(ModelKey(type: type, id: id))
        }
    }

    private func typeName(_ kind: Int) throws(OfflineError) -> String? {
        let row = try connection.statement("SELECT name FROM kinds WHERE number = ?1")
        try row.bind(1, kind)
        return try row.step() ? row.text(0) : nil
    }
}
