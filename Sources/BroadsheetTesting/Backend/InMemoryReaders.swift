import ArticleAPI
import BroadsheetHTTP

extension InMemoryState {
    /// The comment, or the place that is left of it, as the sender sees it; `nil` if the sender
    /// sees neither.
    func present(_ comment: ArticleComment, _ fields: FieldSelection?) -> ArticleComment? {
        let isVisible = comment.status == .visible
        let isForEditors = comment.status != .deleted && session != nil
        let hasReplies = comments.values.contains {
            $0.parentID == comment.id && $0.status == .visible
        }
        guard sees(article(comment.articleID)), isVisible || isForEditors || hasReplies else {
            return nil
        }
        var shown = comment
        if !isVisible, session == nil { (shown.author, shown.body) = (nil, "") }
        let hasHTML = fields?.contains("bodyHTML") ?? false
        shown.bodyHTML = hasHTML ? comment.bodyHTML ?? Self.paragraphs(shown.body) : nil
        return shown
    }
}

extension FetchCommentsRequest: InMemoryRequest {
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<Page<ArticleComment>>
    {
        guard state.sees(state.article(articleID)) else { throw .notFound }
        let sort = sort ?? .oldest
        let found = state.comments.values.filter { $0.articleID == articleID }
            .compactMap { state.present($0, fields) }
        let page = try InMemoryList<ArticleComment>(
            name: "\(sort) comments on \(articleID)", isDescending: sort == .newest,
            position: { InMemoryState.position($0.createdAt, $0.id) }
        ).page(of: found, cursor, limit: limit)
        return InMemoryReply(item: page, fields: fields)
    }
}

extension CreateCommentRequest: InMemoryRequest {
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<ArticleComment> {
        let user = try state.signedIn()
        guard let article = state.article(articleID) else { throw .notFound }
        let isBlank = comment.body.unicodeScalars.allSatisfy {
            $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint
        }
        if isBlank { throw .invalid("/body", "does not contain any text") }
        let id = comment.id ?? state.newID()
        guard state.comments[id] == nil else {
            throw .taken(.idTaken, "This id has already been used.", "/id")
        }
        guard article.comments != .closed else {
            throw Problem(.commentsClosed, detail: "Comments on this article are closed.")
        }
        if let parentID = comment.parentID {
            let parent = state.comments[parentID]
            guard let parent, parent.articleID == articleID, parent.parentID == nil,
                parent.status == .visible
            else {
                throw .invalid(
                    "/parentID", "is not a comment on this article that can be replied to")
            }
        }
        let now = state.newTime()
        let new = ArticleComment(
            id: id, articleID: articleID, parentID: comment.parentID,
            author: user.asSeenByOthers, body: comment.body, createdAt: now, updatedAt: now,
            version: state.version(1))
        state.comments[id] = new
        state.touch(.comment(id))
        return InMemoryReply(item: new, version: new.version, location: "/v1/comments/\(id)")
    }
}

extension DeleteCommentRequest: InMemoryRequest {
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<NoContent> {
        guard var comment = state.comments[id], comment.status != .deleted,
            state.article(comment.articleID) != nil
        else { throw .notFound }
        try expected.check(comment.version, comment.revision)
        (comment.body, comment.bodyHTML, comment.status) = ("", nil, .deleted)
        comment.updatedAt = state.newTime()
        comment.revision += 1
        comment.version = state.version(comment.revision)
        state.comments[id] = comment
        state.touch(.comment(id))
        // The place of a deleted comment goes with its last reply.
        if let parent = comment.parentID { state.touch(.comment(parent)) }
        return InMemoryReply(item: NoContent())
    }
}

extension FetchBookmarksRequest: InMemoryRequest {
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<Page<Bookmark>> {
        let user = try state.signedIn()
        let found = (state.bookmarks[user.id] ?? [:]).values.filter {
            !$0.isRemoved && state.article($0.bookmark.articleID) != nil
        }
        let list = InMemoryList<Bookmark>(
            name: "bookmarks of \(user.id)", isDescending: true,
            position: { InMemoryState.position($0.createdAt, $0.articleID) })
        return InMemoryReply(item: try list.page(of: found.map(\.bookmark), cursor, limit: limit))
    }
}

extension PutBookmarkRequest: InMemoryRequest {
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<Bookmark> {
        let user = try state.signedIn()
        guard state.article(articleID) != nil else { throw .notFound }
        let former = state.bookmarks[user.id]?[articleID]
        let known = former.flatMap { $0.isRemoved ? nil : $0.bookmark }
        if let known, known.position == place?.position { return InMemoryReply(item: known) }
        let now = state.newTime()
        let new = Bookmark(
            articleID: articleID, position: place?.position, createdAt: known?.createdAt ?? now,
            updatedAt: now, revision: (former?.bookmark.revision ?? 0) + 1)
        state.bookmarks[user.id, default: [:]][articleID] = (new, false)
        state.touch(.bookmark(user.id, articleID))
        return InMemoryReply(item: new)
    }
}

extension DeleteBookmarkRequest: InMemoryRequest {
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<NoContent> {
        let user = try state.signedIn()
        guard var known = state.bookmarks[user.id]?[articleID], !known.isRemoved else {
            throw .notFound
        }
        known.isRemoved = true
        known.bookmark.revision += 1
        state.bookmarks[user.id]?[articleID] = known
        state.touch(.bookmark(user.id, articleID))
        return InMemoryReply(item: NoContent())
    }
}
