import ArticleAPI
import ArticleStore

/// Exports and restoration of comments, in the order of their rows: a reply follows its parent.
extension SQL {
    fileprivate static let commentNumbers: StaticString =
        "SELECT number FROM comments ORDER BY number"
}

extension Snapshot {
    func exportComments(_ give: (ArticleComment) throws(StoreError) -> Void) throws(StoreError) {
        let row = try connection.statement(SQL.commentNumbers)
        while try row.step() {
            try give(exported(storedComment(number: row.integer(0))))
        }
    }

    private func exported(_ stored: StoredComment) throws(StoreError) -> ArticleComment {
        var comment = try present(stored)
        comment.version = nil
        return comment
    }
}

extension WriteStep {
    /// Restores a comment with its last revision, which is one change.
    func restore(_ comment: ArticleComment) throws(StoreError) -> Bool {
        let name = "comment \(comment.id)"
        if let article = try state.articleNumber(comment.articleID), try state.isEmpty(article) {
            return false
        }
        if let found = try state.storedComment(comment.id) {
            guard try isSame(comment, state.present(found)) else { throw .conflict(name) }
            return false
        }
        guard let article = try state.articleNumber(comment.articleID)?.number else {
            throw .conflict("\(name): the article does not exist")
        }
        let parent = try parent(ofRestored: comment, on: article, name)
        var writer: Int64?
        if let author = comment.author {
            writer = try state.userNumber(author.id)
            guard writer != nil else { throw .conflict("\(name): the author does not exist") }
        }
        guard comment.body.isEmpty == (comment.status == .deleted) else {
            throw .conflict("\(name): only deleted comments have no text")
        }
        guard comment.revision <= Self.limitBookmarkRevisions else {
            throw .conflict("\(name): its revision is too great")
        }
        guard let number = try insert(comment, on: article, to: parent, by: writer) else {
            throw .conflict(name)
        }
        try record(state.storedComment(number: number), after: nil, isRestored: true)
        return true
    }

    private func parent(
        ofRestored comment: ArticleComment, on article: Int64, _ name: String
    ) throws(StoreError) -> Int64? {
        guard let id = comment.parentID else { return nil }
        guard let parent = try state.storedComment(id), parent.article == article,
            parent.parent == nil
        else { throw .conflict("\(name): there is no comment on this article to reply to") }
        return parent.number
    }

    /// Returns true if both are the same. Names of authors are ignored: the name shown is always
    /// the current one.
    private func isSame(_ comment: ArticleComment, _ found: ArticleComment) -> Bool {
        var (comment, found) = (comment, found)
        guard comment.author?.id == found.author?.id else { return false }
        comment.author = found.author
        comment.bodyHTML = nil
        comment.version = nil
        found.version = nil
        return comment == found
    }
}
