public import ArticleAPI
public import ArticleStore

/// Comments as HTML, which is stored with them and can be made again. When the text of a comment
/// changes or is deleted, `SQL.updateComment` removes its HTML.
extension SQLStore {
    public func bodyHTML(
        of comments: [ArticleComment], by renderer: String
    ) async throws(StoreError) -> [BodyHTML?] {
        try await read { (state) throws(StoreError) in
            var found: [BodyHTML?] = []
            for comment in comments { found.append(try state.bodyHTML(of: comment, by: renderer)) }
            return found
        }
    }

    public func keepBodyHTML(
        _ html: BodyHTML, of comment: ArticleComment
    ) async throws(StoreError) {
        try await submit { (step) throws(StoreError) in
            let stored = try step.state.storedComment(comment.id)
            guard let stored, stored.body == comment.body, stored.state != .deleted else { return }
            try step.keep(html, ofComment: stored.number)
        }
    }
}

extension SQL {
    static let commentHTML: StaticString = """
        SELECT renderer, html FROM comments WHERE id = ?1 AND revision = ?2 AND renderer = ?3
        """
    static let keepCommentHTML: StaticString =
        "UPDATE comments SET renderer = ?2, html = ?3 WHERE number = ?1"
}

extension Snapshot {
    fileprivate func bodyHTML(
        of comment: ArticleComment, by renderer: String
    ) throws(StoreError) -> BodyHTML? {
        let row = try connection.statement(SQL.commentHTML)
        try row.bind(1, comment.id)
        try row.bind(2, comment.revision)
        try row.bind(3, renderer)
        return try row.step() ? BodyHTML(renderer: row.text(0), html: row.optionalText(1)) : nil
    }
}

extension WriteStep {
    func keep(_ html: BodyHTML, ofComment number: Int64) throws(StoreError) {
        let row = try connection.statement(SQL.keepCommentHTML)
        try row.bind(1, number)
        try row.bind(2, html.renderer)
        try row.bind(3, html.html)
        try row.run()
    }
}
