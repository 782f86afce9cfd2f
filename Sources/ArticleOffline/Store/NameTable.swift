import ArticleAPI
import ArticleClient
import BroadsheetSQLite

/// The names of authors, each from the newest revision of the author that was seen.
final class NameTable {
    /// Names that were looked up; `nil` for one that is not known.
    private var known: [Author.ID: AuthorNames.Known?] = [:]
    private static let limit = 5_000

    /// The article with the newest names in its by-line.
    func naming(
        _ article: Article, in connection: DatabaseConnection
    ) throws(OfflineError) -> Article {
        guard !article.authors.isEmpty else { return article }
        var names: [Author.ID: AuthorNames.Known] = [:]
        for author in article.authors { names[author.id] = try name(author.id, in: connection) }
        return AuthorNames(names).naming(article)
    }

    /// The known part of an article with the newest names in its by-line.
    func naming(
        _ article: PartialArticle, in connection: DatabaseConnection
    ) throws(OfflineError) -> PartialArticle {
        var named = article
        for (index, author) in (article.authors ?? []).enumerated() where author.name != nil {
            guard let id = author.id, let newest = try name(id, in: connection) else { continue }
            named.authors?[index].name = newest.name
        }
        return named
    }

    private func name(
        _ id: Author.ID, in connection: DatabaseConnection
    ) throws(OfflineError) -> AuthorNames.Known? {
        if let found = known[id] { return found }
        let row = try connection.statement("SELECT name, revision FROM names WHERE author = ?1")
        try row.bind(1, id)
        let found =
            try row.step()
            ? AuthorNames.Known(row.text(0), revision: row.number(1)) : nil
        cache(found, of: id)
        return found
    }

    private func cache(_ name: AuthorNames.Known?, of id: Author.ID) {
        if known.count >= Self.limit { known = [:] }
        known[id] = .some(name)
    }

    /// - Returns: true if bylines change.
    func note(
        _ author: Author, in connection: DatabaseConnection
    ) throws(OfflineError) -> Bool {
        try note(author.id, in: connection) { $0.note(author) }
    }

    /// - Returns: true if other bylines change.
    func note(
        _ reference: Author.Reference, in connection: DatabaseConnection
    ) throws(OfflineError) -> Bool {
        try note(reference.id, in: connection) { $0.note(reference) }
    }

    private func note(
        _ id: Author.ID, in connection: DatabaseConnection,
        _ note: (inout AuthorNames) -> AuthorNames.NameUpdates
    ) throws(OfflineError) -> Bool {
        guard let (new, updates) = try change(of: id, in: connection, note) else { return false }
        let row = try connection.statement("INSERT OR REPLACE INTO names VALUES (?1, ?2, ?3)")
        try row.bind(1, id)
        try row.bind(2, new.name)
        try row.bind(3, new.revision)
        try row.run()
        cache(new, of: id)
        return updates != .nothing
    }

    /// Returns true if noting it would change anything.
    func isUpdate(
        _ reference: Author.Reference, in connection: DatabaseConnection
    ) throws(OfflineError) -> Bool {
        try change(of: reference.id, in: connection) { $0.note(reference) } != nil
    }

    /// The name that noting would give an author; `nil` for the one that is known.
    private func change(
        of id: Author.ID, in connection: DatabaseConnection,
        _ note: (inout AuthorNames) -> AuthorNames.NameUpdates
    ) throws(OfflineError) -> (AuthorNames.Known, AuthorNames.NameUpdates)? {
        let old = try name(id, in: connection)
        var names = AuthorNames(old.map { [id: $0] } ?? [:])
        let updates = note(&names)
        return names.known[id].flatMap { $0 == old ? nil : ($0, updates) }
    }

    /// - Returns: true if bylines change.
    func forget(
        _ id: Author.ID, in connection: DatabaseConnection
    ) throws(OfflineError) -> Bool {
        known[id] = nil
        let row = try connection.statement("DELETE FROM names WHERE author = ?1")
        try row.bind(1, id)
        try row.run()
        return connection.changedRows > 0
    }

    /// By-lines have the names that came with them, until newer ones are seen.
    func removeAll(from connection: DatabaseConnection) throws(OfflineError) {
        known = [:]
        try connection.execute("DELETE FROM names")
    }

    /// Removes the names of authors of whom there is nothing else.
    func removeUnused(in connection: DatabaseConnection) throws(OfflineError) {
        known = [:]
        try connection.execute(
            """
            DELETE FROM names WHERE author NOT IN (SELECT author FROM bylines)
                AND author NOT IN (SELECT id FROM models WHERE kind = 2)
            """)
    }

    /// Forgets values that another process may have changed.
    func forgetAll() { known = [:] }
}
