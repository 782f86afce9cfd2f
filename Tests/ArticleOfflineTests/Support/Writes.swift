import ArticleAPI
import ArticleOffline
import BroadsheetTestSupport

extension OutboxEntry {
    /// The article that it changes.
    var edited: Article.ID {
        guard let article else { preconditionFailure("programmer error: it changes no article") }
        return article
    }
}

/// Entries of an outbox, as stores keep them.
enum Writes {
    static func update(
        _ number: Int, of article: Article, title: String
    ) throws -> StoredWrite {
        try stored(.update(Article.Changes(title: .set(title))), to: article.id, article, number)
    }

    static func deletion(_ number: Int, of article: Article) throws -> StoredWrite {
        try stored(.delete, to: article.id, article, number)
    }

    static func creation(_ number: Int, _ id: Article.ID, title: String) throws -> StoredWrite {
        let draft = Article.Draft(id: id, title: title, body: "Flour.")
        return try stored(.create(draft), to: id, nil, number)
    }

    private static func stored(
        _ write: PendingWrite, to id: Article.ID, _ base: Article?, _ number: Int
    ) throws -> StoredWrite {
        var queue = OutboxQueue([], after: number - 1)
        let edit = queue.add(
            write, to: id, base: base, account: "ada", key: "key-\(number)", at: Samples.time(0))
        guard let entry = edit.stored.first else { throw TestFailure("nothing to store") }
        return StoredWrite(number: entry.number, article: id, entry: entry.json())
    }
}
