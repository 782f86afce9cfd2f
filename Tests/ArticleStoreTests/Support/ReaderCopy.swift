import ArticleAPI
import ArticleStore
import Testing

/// A copy of what somebody sees of comments and bookmarks, perhaps with articles, kept current by
/// changes.
struct ReaderCopy {
    private(set) var query: ChangeQuery
    private(set) var articles: [Article.ID: Int] = [:]
    private(set) var comments: [ArticleComment.ID: ArticleComment] = [:]
    private(set) var bookmarks: [Article.ID: Bookmark] = [:]
    private(set) var isComplete = false
    /// The last revision that was received of each.
    private var revisions: [String: Int] = [:]
    /// The changes since the copy was last complete: each only once in its last state.
    private var received: Set<String> = []
    private var isUndisturbed = true

    init(_ query: ChangeQuery) { self.query = query }

    /// Something was written: what has come already may come again.
    mutating func disturb() { isUndisturbed = false }

    /// Reads one page.
    mutating func step(limit: Int, in store: any ArticleStore) async throws {
        query.limit = limit
        let slice = try await store.changes(query)
        #expect(slice.items.count <= limit)
        var last = query.position?.sequence ?? 0
        for (sequence, change) in slice.items {
            #expect(sequence > last)
            last = sequence
            apply(change)
        }
        if isComplete, isUndisturbed {
            #expect(slice.items.isEmpty && slice.position == query.position)
        }
        query.position = slice.position
        isComplete = slice.isLast
        if isComplete {
            received = []
            isUndisturbed = true
        }
    }

    /// Reads all pages.
    mutating func catchUp(limit: Int, in store: any ArticleStore) async throws {
        repeat { try await step(limit: limit, in: store) } while !isComplete
    }

    private mutating func apply(_ change: SyncChange<Article>) {
        switch change {
        case .putArticle(let article, let revision):
            note("article \(article.id)", revision)
            articles[article.id] = revision
        case .deleteArticle(let id, let revision):
            note("article \(id)", revision)
            articles[id] = nil
        case .putComment(let comment):
            note("\(comment.id)", comment.revision)
            comments[comment.id] = comment
        case .deleteComment(let id, let revision):
            note("\(id)", revision)
            comments[id] = nil
        case .putBookmark(let bookmark):
            note("\(bookmark.id)", bookmark.revision)
            bookmarks[bookmark.id] = bookmark
        case .deleteBookmark(let id, let revision):
            note("\(id)", revision)
            bookmarks[id] = nil
        default: Issue.record("an unexpected change: \(change)")
        }
    }

    private mutating func note(_ name: String, _ revision: Int) {
        if isUndisturbed { #expect(received.insert(name).inserted, "\(name) came twice") }
        #expect(revision >= revisions[name] ?? 0)
        revisions[name] = revision
    }
}

/// The content of the lists for a query for changes.
struct ReaderLists: Equatable {
    var articles: [Article.ID: Int] = [:]
    var comments: Set<ArticleComment> = []
    var bookmarks: Set<Bookmark> = []

    /// Creates the content of a copy, without bookmarks of articles that were deleted: these are
    /// not listed.
    init(_ copy: ReaderCopy, in store: any ArticleStore) async throws {
        articles = copy.articles
        comments = Set(copy.comments.values.map(\.withoutName))
        for bookmark in copy.bookmarks.values {
            let id = bookmark.articleID
            guard (try? await store.article(.id(id), visibleTo: .editors)) != nil else { continue }
            bookmarks.insert(bookmark)
        }
    }

    /// Throws `.notFound` if the query is for comments and those on the article are not visible.
    ///
    /// - Parameter ids: all articles.
    init(_ query: ChangeQuery, _ ids: [Article.ID], in store: any ArticleStore) async throws {
        if query.kinds.contains(.article) {
            for id in ids {
                let found = try? await store.article(.id(id), visibleTo: query.audience)
                if let found { articles[id] = found.revision }
            }
        }
        if query.kinds.contains(.comment), let article = query.article {
            let viewer = CommentViewer(audience: query.audience, user: query.user)
            let list = try await store.comments(
                CommentQuery(on: article, viewer: viewer, limit: 100))
            comments = Set(list.items.map(\.withoutName))
        }
        if query.kinds.contains(.bookmark), let user = query.user {
            let list = try await store.bookmarks(of: user, seeing: .editors, after: nil, limit: 100)
            bookmarks = Set(list.items)
        }
    }
}

extension ArticleComment {
    /// Names are the current ones in lists, and those of the last change in a copy.
    fileprivate var withoutName: ArticleComment {
        var comment = self
        comment.author?.displayName = ""
        return comment
    }
}
