import ArticleAPI
import BroadsheetSQLite

/// The limit in bytes.
extension StoreEngine {
    /// The size of all models.
    func totalBytes() throws(ModelStoreError) -> Int {
        let row = try connection.statement("SELECT bytes FROM totals")
        guard try row.step() else { throw .damaged("the size of the store is missing") }
        return row.number(0)
    }

    /// Removes models that were not seen for the longest time, while there are too many.
    ///
    /// - Parameter before: the size before the transaction. One that frees space succeeds even if
    ///   there is still too much.
    /// - Throws: `full` if the others have to stay.
    func shrink(from before: Int) throws(ModelStoreError) {
        var total = try totalBytes()
        guard total > limits.bytes else { return }
        while total > limits.bytes {
            let loose = try evictableModels()
            guard !loose.isEmpty else {
                guard total <= before else { throw .full }
                break
            }
            for model in loose where total > limits.bytes {
                try removeModel(model.kind, high: model.id.high, low: model.id.low)
                // A damaged row may have any size.
                total &-= model.bytes
            }
        }
        try names.removeUnused(in: connection)
    }

    private struct EvictableModel {
        let kind: Int
        /// Ids of all types have the same form.
        let id: Article.ID
        let bytes: Int
    }

    private func evictableModels() throws(ModelStoreError) -> [EvictableModel] {
        let row = try connection.statement(
            "SELECT kind, id, bytes FROM models WHERE holds = 0 ORDER BY seen LIMIT 64")
        var models: [EvictableModel] = []
        while try row.step() {
            models.append(
                EvictableModel(
                    kind: row.number(0), id: try row.identifier(1),
                    bytes: row.number(2)))
        }
        return models
    }

    /// Removes a model of any type, whose id has these bits.
    func removeModel(_ kind: Int, high: UInt64, low: UInt64) throws(ModelStoreError) {
        if kind == articles.kind, let id = Article.ID(high: high, low: low) {
            try articles.remove(id, in: connection)
            note(.article(id))
            note(.articles)
        } else if kind == authors.kind, let id = Author.ID(high: high, low: low) {
            try authors.remove(id, in: connection)
            note(.author(id))
        } else if let id = ArticleComment.ID(high: high, low: low) {
            if let article = try comments.facts(id, in: connection)?.model()?.articleID {
                note(.comments(article))
            }
            try comments.remove(id, in: connection)
        }
    }
}
