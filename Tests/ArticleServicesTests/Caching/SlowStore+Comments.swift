import ArticleAPI
import ArticleStore

/// Comments and bookmarks: public reads are delayed like those of articles.
extension SlowStore {
    func comments(
        _ query: CommentQuery
    ) async throws(StoreError) -> Slice<ArticleComment, CommentPosition> {
        let result = try await store.comments(query)
        await hold()
        return result
    }

    func comment(
        _ id: ArticleComment.ID, visibleTo viewer: CommentViewer
    ) async throws(StoreError) -> ArticleComment {
        let result = try await store.comment(id, visibleTo: viewer)
        await hold()
        return result
    }

    func commentCounts(of articles: [Article.ID]) async throws(StoreError) -> [Int] {
        try await store.commentCounts(of: articles)
    }

    func commentContext(
        of content: CommentContent, as id: ArticleComment.ID, at time: Timestamp
    ) async throws(StoreError) -> CommentContext {
        try await store.commentContext(of: content, as: id, at: time)
    }

    func edition(
        of id: ArticleComment.ID, expecting expectation: Precondition, as viewer: CommentViewer
    ) async throws(StoreError) -> CommentEdition {
        try await store.edition(of: id, expecting: expectation, as: viewer)
    }

    func bodyHTML(
        of comments: [ArticleComment], by renderer: String
    ) async throws(StoreError) -> [BodyHTML?] {
        try await store.bodyHTML(of: comments, by: renderer)
    }

    func keepBodyHTML(_ html: BodyHTML, of comment: ArticleComment) async throws(StoreError) {
        try await store.keepBodyHTML(html, of: comment)
    }

    func createComment(
        _ id: ArticleComment.ID, _ content: CommentContent, under rules: CommentRules, by edit: Edit
    ) async throws(StoreError) -> ArticleComment {
        try await store.createComment(id, content, under: rules, by: edit)
    }

    func updateComment(
        _ id: ArticleComment.ID, _ changes: ArticleComment.Changes, html: BodyHTML?,
        under rules: CommentRules,
        expecting expectation: Precondition, as viewer: CommentViewer, by edit: Edit
    ) async throws(StoreError) -> ArticleComment {
        try await store.updateComment(
            id, changes, html: html, under: rules, expecting: expectation, as: viewer, by: edit)
    }

    func deleteComment(
        _ id: ArticleComment.ID, expecting expectation: Precondition, as viewer: CommentViewer,
        by edit: Edit
    ) async throws(StoreError) {
        try await store.deleteComment(id, expecting: expectation, as: viewer, by: edit)
    }

    func bookmarks(
        of user: User.ID, seeing audience: Audience, after position: BookmarkPosition?, limit: Int
    ) async throws(StoreError) -> Slice<Bookmark, BookmarkPosition> {
        try await store.bookmarks(of: user, seeing: audience, after: position, limit: limit)
    }

    func putBookmark(
        of article: Article.ID, for user: User.ID, position: Double?, seeing audience: Audience,
        at time: Timestamp
    ) async throws(StoreError) -> (bookmark: Bookmark, isNew: Bool) {
        try await store.putBookmark(
            of: article, for: user, position: position, seeing: audience, at: time)
    }

    func deleteBookmark(
        of article: Article.ID, for user: User.ID
    ) async throws(StoreError) {
        try await store.deleteBookmark(of: article, for: user)
    }
}

/// Search: everything is forwarded.
extension SlowStore {
    func searchIndex() async throws(StoreError) -> SearchIndexRecord {
        try await store.searchIndex()
    }

    func searchKeys(of segment: Int64) async throws(StoreError) -> [SearchKeyRecord] {
        try await store.searchKeys(of: segment)
    }

    func searchBlocks(
        _ query: SearchBlockQuery
    ) async throws(StoreError) -> [SearchBlockQuery.Blocks]? {
        try await store.searchBlocks(query)
    }

    func searchBlocks(
        of segment: Int64, from number: Int, limitBytes: Int
    ) async throws(StoreError) -> [SearchBlockRecord] {
        try await store.searchBlocks(of: segment, from: number, limitBytes: limitBytes)
    }

    func putSearchBlocks(
        _ blocks: [SearchBlockRecord], of segment: Int64
    ) async throws(StoreError) {
        try await store.putSearchBlocks(blocks, of: segment)
    }

    func commitSearch(_ commit: SearchCommit) async throws(StoreError) {
        try await store.commitSearch(commit)
    }

    func resetSearch() async throws(StoreError) { try await store.resetSearch() }

    func removeObsoleteSearchBlocks(
        except kept: Set<Int64>, limit: Int
    ) async throws(StoreError) -> Bool {
        try await store.removeObsoleteSearchBlocks(except: kept, limit: limit)
    }

    func searchPurges() async throws(StoreError) -> [Article.ID: Int64] {
        try await store.searchPurges()
    }

    func endSearchPurges(_ purges: [Article.ID: Int64]) async throws(StoreError) {
        try await store.endSearchPurges(purges)
    }

    func purge(
        _ id: Article.ID, revisions: [Int], by edit: Edit
    ) async throws(StoreError) -> PurgeCounts {
        try await store.purge(id, revisions: revisions, by: edit)
    }

    func eraseSearch() async throws(StoreError) { try await store.eraseSearch() }
}
