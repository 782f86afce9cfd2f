import ArticleStore

/// The removal of revisions. Their numbers are not given again, and their changes stay in the
/// sequence, so that the history of an article may have gaps. Its last revision is always there,
/// but for an article that is deleted and has no content any more: of this one, nothing is left but
/// its row (which is not found, except by its earlier changes) and its changes.
extension SQL {
    fileprivate static let bodyOfRow: StaticString = "SELECT body FROM revisions WHERE row = ?1"
    fileprivate static let revisionsOfArticle: StaticString = """
        SELECT number FROM revisions WHERE row > ?1 << 20 AND row < (?1 + 1) << 20 ORDER BY row
        """
    fileprivate static let removeRevision: StaticString = "DELETE FROM revisions WHERE row = ?1"
    fileprivate static let usesOfBody: StaticString =
        "SELECT 1 FROM revisions WHERE body = ?1 LIMIT 1"
    fileprivate static let removeWritesOfBody: StaticString =
        "DELETE FROM kept_writes WHERE body = ?1"
    fileprivate static let removeBody: StaticString = "DELETE FROM bodies WHERE number = ?1"
    fileprivate static let removeContent: StaticString =
        "UPDATE articles SET deleted_at = NULL, owner = NULL WHERE number = ?1"
    fileprivate static let removeSlugs: StaticString = "DELETE FROM slugs WHERE article = ?1"
    fileprivate static let removeImportMark: StaticString = "DELETE FROM imports WHERE article = ?1"
    fileprivate static let removeCommentTexts: StaticString = """
        UPDATE comments SET state = 3, body = '', renderer = NULL, html = NULL,
            visible_replies = 0, sight = 0
        WHERE article = ?1
        """
    fileprivate static let removeCommentCount: StaticString =
        "DELETE FROM comment_counts WHERE article = ?1"
    fileprivate static let removeCommentTransitions: StaticString =
        "DELETE FROM comment_transitions WHERE article = ?1"
    fileprivate static let removeWritesOfComments: StaticString = """
        DELETE FROM kept_writes
        WHERE comment IN (SELECT number FROM comments WHERE article = ?1)
        """
}

extension Snapshot {
    /// The numbers of the revisions that an article has, in their order.
    func revisionNumbers(of article: Int64) throws(StoreError) -> [Int] {
        let row = try connection.statement(SQL.revisionsOfArticle)
        try row.bind(1, article)
        var numbers: [Int] = []
        while try row.step() { numbers.append(Int(row.integer(0))) }
        return numbers
    }

    /// The article with its last revision; `nil` if it has no content any more.
    func storedUnlessEmpty(number: Int64) throws(StoreError) -> StoredArticle? {
        let row = try connection.statement(SQL.articleByNumber)
        try row.bind(1, number)
        return try row.step() ? StoredArticle(row) : nil
    }

    /// Returns true if the content of an article was removed.
    func isEmpty(_ article: (number: Int64, revision: Int)) throws(StoreError) -> Bool {
        guard article.revision > 0 else { return false }
        return try storedUnlessEmpty(number: article.number) == nil
    }
}

extension WriteStep {
    /// Removes revisions of an article, with their bodies, the renderings of these, and the results
    /// of idempotent writes with these, unless another revision has the same body. Revisions that
    /// do not exist are skipped.
    ///
    /// - Parameter numbers: not that of the last revision.
    func removeRevisions(_ numbers: [Int], of article: Int64) throws(StoreError) {
        var bodies: Set<Int64> = []
        for number in numbers where 1..<1 << 20 ~= number {
            let row = article << 20 | Int64(number)
            let found = try connection.statement(SQL.bodyOfRow)
            try found.bind(1, row)
            guard try found.step() else { continue }
            bodies.insert(found.integer(0))
            try run(SQL.removeRevision, row)
        }
        for body in bodies.sorted() {
            let uses = try connection.statement(SQL.usesOfBody)
            try uses.bind(1, body)
            if try uses.step() { continue }
            try run(SQL.removeWritesOfBody, body)
            try removeRendering(ofBody: body)
            try run(SQL.removeBody, body)
        }
    }

    /// Removes everything that a deleted article contains: its revisions, slugs, comments, owner,
    /// and where it was imported from. Its row stays, with its id and the number of its last
    /// revision.
    func removeContent(ofDeleted article: Int64) throws(StoreError) {
        try removeRevisions(state.revisionNumbers(of: article), of: article)
        try run(SQL.removeWritesOfComments, article)
        try run(SQL.removeCommentTexts, article)
        try run(SQL.removeCommentCount, article)
        try run(SQL.removeCommentTransitions, article)
        try run(SQL.removeSlugs, article)
        try run(SQL.removeImportMark, article)
        try run(SQL.removeContent, article)
    }

    /// Runs a statement with one parameter.
    func run(_ sql: StaticString, _ number: Int64) throws(StoreError) {
        let row = try connection.statement(sql)
        try row.bind(1, number)
        try row.run()
    }
}
