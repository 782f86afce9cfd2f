import ArticleAPI
import ArticleAdminAPI
import ArticleClient

/// A backend in this process that has one article, its author, its tag and its history.
enum ServedExampleBackend {
    static let time = Timestamp(milliseconds: 1_767_225_600_000)
    static let author = Author(
        id: Author.ID(at: time), name: "Ada Lovelace", createdAt: time, updatedAt: time)
    static let article = Article(
        id: Article.ID(at: time), slug: "bread", title: "Bread", body: "Flour and water.",
        language: "en", authors: [Author.Reference(id: author.id, name: author.name)],
        tags: [ArticleTag(named: "Baking")], status: .published, publishedAt: time, createdAt: time,
        updatedAt: time, version: "1-x1y2z3", wordCount: 3, readingMinutes: 1)

    static func backend() -> BackendService {
        .stub { routes in
            addArticles(to: &routes)
            addHistory(to: &routes)
            addAuthors(to: &routes)
            addComments(to: &routes)
            addAccounts(to: &routes)
            routes.on(FetchTagsRequest.self) { _ in
                Page(items: [ArticleTag.Usage(tag: ArticleTag(named: "Baking"), articleCount: 1)])
            }
            routes.on(SearchArticlesRequest.self) { request in
                let isTitle = request.query.hasPrefix("bread")
                let hit = SearchHit(
                    article: article, title: [SearchPiece(text: "Bread", isMatch: isTitle)],
                    excerpt: [SearchPiece(text: "Flour and water.")])
                return SearchPage(items: [hit])
            }
            routes.on(FetchChangesRequest.self) { _ in
                ChangePage(
                    changes: [
                        .putArticle(article, revision: 1),
                        .deleteArticle(Article.ID(at: time), revision: 4), .putAuthor(author),
                    ], next: "epoch.sealed", more: false)
            }
            routes.on(StreamChangesRequest.self) { _ in
                let change = SyncChange<Article>.putArticle(article, revision: 1).json()
                let text = "event: change\nid: epoch.sealed-1\ndata: "
                let ready = "\n\nevent: ready\nid: epoch.sealed-2\ndata: {}\n\n"
                return EventStream(Array(text.utf8) + change + Array(ready.utf8))
            }
            routes.on(PreviewRequest.self) { _ in
                ArticlePreview(bodyHTML: "<p>Hello, <em>world</em>.</p>")
            }
            routes.on(FetchAtomFeedRequest.self) { request in
                let tags = request.query.tags.joined(separator: ", ")
                return FetchAtomFeedRequest.Item(Array("<feed>\(tags)</feed>".utf8))
            }
            routes.on(FetchDescriptionRequest.self) { _ in
                let members = [JSONValue.Member(name: "openapi", value: .string("3.1.0"))]
                return APIDescription(document: .object(members))
            }
            routes.on(FetchGreetingRequest.self) { request in
                Greeting(text: "Hello, \(request.name)!")
            }
        }
    }

    private static func addArticles(to routes: inout StubRoutes) {
        routes.on(FetchArticlesRequest.self) { request in
            let count = request.count.map { _ in PageCount(value: 1, isExact: true) }
            return Page(items: [article], count: count)
        }
        routes.on(FetchArticleRequest.self) { request in
            guard request.key == .slug(article.slug) else { throw Problem(.notFound) }
            return article
        }
        routes.on(CreateArticleRequest.self) { request in
            article.applying(Article.Changes(title: .set(request.article.title)))
        }
        routes.on(ReplaceArticleRequest.self) { request in
            guard request.expected != nil else { throw Problem(.preconditionRequired) }
            return article.applying(Article.Changes(title: .set(request.article.content.title)))
        }
        routes.on(UpdateArticleRequest.self) { request in article.applying(request.changes) }
        routes.on(DeleteArticleRequest.self) { _ in NoContent() }
    }

    static let comment = ArticleComment(
        id: ArticleComment.ID(at: time), articleID: article.id,
        author: User(id: User.ID(at: time), displayName: "Ada"), body: "What about *rye*?",
        createdAt: time, updatedAt: time, version: "1-x1y2z3")

    private static func addComments(to routes: inout StubRoutes) {
        routes.on(FetchCommentsRequest.self) { _ in Page(items: [comment]) }
        routes.on(FetchAllCommentsRequest.self) { _ in Page(items: []) }
        routes.on(FetchCommentRequest.self) { _ in comment }
        routes.on(CreateCommentRequest.self) { request in
            var comment = comment
            (comment.body, comment.parentID) = (request.comment.body, request.comment.parentID)
            return comment
        }
        routes.on(UpdateCommentRequest.self) { request in
            var comment = comment
            if case .set(let body) = request.changes.body { comment.body = body }
            return comment
        }
        routes.on(DeleteCommentRequest.self) { _ in NoContent() }
        let bookmark = Bookmark(articleID: article.id, createdAt: time, updatedAt: time)
        routes.on(FetchBookmarksRequest.self) { _ in Page(items: [bookmark]) }
        routes.on(PutBookmarkRequest.self) { request in
            var bookmark = bookmark
            bookmark.position = request.place?.position
            return bookmark
        }
        routes.on(DeleteBookmarkRequest.self) { _ in NoContent() }
    }

    static let user = User(
        id: User.ID(at: time), displayName: "Ada", name: "ada", role: .reader, isDisabled: false,
        createdAt: time, updatedAt: time, revision: 1)

    private static func addAccounts(to routes: inout StubRoutes) {
        let session = UserSession(
            accessToken: "bsa_x", expiresAt: time, refreshToken: "bsr_x", user: user)
        routes.on(SignUpRequest.self) { _ in user }
        routes.on(SignInRequest.self) { _ in session }
        routes.on(RefreshSessionRequest.self) { _ in session }
        routes.on(SignOutRequest.self) { _ in NoContent() }
        let device = DeviceSession(
            id: "0123456789abcdef", device: "Ada's phone", address: "203.0.113.7",
            createdAt: time, usedAt: time, isCurrent: false)
        routes.on(FetchSessionsRequest.self) { _ in Page(items: [device]) }
        routes.on(EndSessionRequest.self) { _ in NoContent() }
        routes.on(FetchUserSessionsRequest.self) { _ in Page(items: [device]) }
        routes.on(EndUserSessionRequest.self) { _ in NoContent() }
        routes.on(FetchMeRequest.self) { _ in user }
        routes.on(ExportAccountRequest.self) { _ in
            let title = AccountExport.OwnedArticle(
                id: article.id, slug: article.slug, title: article.title, status: article.status)
            return AccountExport(account: user, articles: [title], comments: [comment])
        }
        routes.on(UpdateMeRequest.self) { request in
            var user = user
            if case .set(let name) = request.changes.displayName { user.displayName = name }
            return user
        }
        routes.on(DeleteMeRequest.self) { _ in NoContent() }
        routes.on(ChangePasswordRequest.self) { _ in NoContent() }
        routes.on(FetchUsersRequest.self) { _ in Page(items: [user]) }
        routes.on(FetchUserRequest.self) { _ in user }
        routes.on(UpdateUserRequest.self) { request in
            var user = user
            if case .set(let role) = request.changes.role { user.role = role }
            return user
        }
        routes.on(DeleteUserRequest.self) { _ in NoContent() }
        routes.on(CreateInvitationRequest.self) { request in
            Invitation(
                id: "0123456789abcdef", code: "bsi_x", role: request.invitation.role,
                createdAt: time, expiresAt: time)
        }
    }

    private static func addHistory(to routes: inout StubRoutes) {
        routes.on(FetchRevisionsRequest.self) { _ in
            let revision = Revision(
                number: 1, action: .created, title: article.title, status: .published,
                createdAt: time, actor: Revision.Actor(kind: .key, id: "k7", name: "Newsroom"))
            return Page(items: [revision])
        }
        routes.on(FetchRevisionRequest.self) { _ in article }
        routes.on(RestoreRevisionRequest.self) { _ in article }
        routes.on(FetchDeletedArticlesRequest.self) { _ in
            let gone = DeletedArticle(
                id: article.id, slug: article.slug, title: article.title, status: .published,
                revision: 4, version: "4-x1y2z3", deletedAt: time,
                actor: Revision.Actor(kind: .key, id: "k7", name: "Newsroom"))
            return Page(items: [gone])
        }
    }

    private static func addAuthors(to routes: inout StubRoutes) {
        routes.on(FetchAuthorsRequest.self) { _ in Page(items: [author]) }
        routes.on(FetchAuthorRequest.self) { _ in author }
        routes.on(ReplaceAuthorRequest.self) { request in
            Author(
                id: request.id, name: request.author.name, about: request.author.about,
                createdAt: time, updatedAt: time)
        }
    }
}
