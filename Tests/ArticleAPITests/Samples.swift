import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP

/// Values that the golden files show.
enum Samples {
    static let id = Article.ID("01890a5d-ac96-774b-bcce-b302099a8057")!
    static let authorID = Author.ID("01890a5d-ac97-7000-8000-000000000001")!
    static let userID = User.ID("01890a5d-ac98-7000-8000-000000000002")!
    static let time = Timestamp("2026-01-31T23:59:59.999Z")!
    static let etag = IfMatch.tags([EntityTag(value: "3-x1y2z39f86d081884c7d65")!])

    static let article = Article(
        id: id, slug: "hello-세상", title: "Hello, \"세상\"", summary: "A greeting.",
        body: "# Hello\n\nA first article — with 한글.\n", language: "en",
        authors: [Author.Reference(id: authorID, name: "Ada", revision: 2)],
        tags: [ArticleTag(key: "swift", name: "Swift"), ArticleTag(key: "한국어", name: "한국어")],
        heroImage: Article.HeroImage(url: "https://a.example/x.jpg", alternativeText: "A wave"),
        status: .published, publishedAt: time, createdAt: time,
        updatedAt: time.advanced(byMilliseconds: 1), revision: 3, version: "3-x1y2z3",
        source: Article.Source(name: "Elsewhere", url: "https://b.example/"), wordCount: 6,
        readingMinutes: 1, comments: .moderated, commentCount: 12, owner: userID)

    static var bare: Article {
        Article(
            id: id, slug: "x", title: "X", body: nil, language: "ko", status: .draft,
            createdAt: time, updatedAt: time, wordCount: 0, readingMinutes: 0)
    }

    static let author = Author(
        id: authorID, name: "Ada", about: "Writes.", website: "https://ada.example",
        createdAt: time, updatedAt: time, revision: 2, version: "2-x1y2z3")

    static let draft = Article.Draft(
        id: id, slug: "hello", title: "Hello", summary: "S", body: "B\n", language: "en",
        authors: [.id(authorID, name: "Ada"), .id(authorID, name: nil), .name("Bo")],
        tags: ["Swift", "한국어"], heroImage: article.heroImage, status: .scheduled,
        publishedAt: time, source: article.source, comments: .closed, owner: userID)

    static let replacement = Article.Replacement(
        content: draft,
        readOnly: Article.ReadOnly(
            bodyHTML: "<p>B</p>\n", createdAt: time, updatedAt: time, revision: 3,
            version: "3-x1y2z3", wordCount: 1, readingMinutes: 1, commentCount: 2))

    static let changes = Article.Changes(
        title: .set("New"), summary: .clear, tags: .set([]),
        heroImage: .set(Article.HeroImageChanges(alternativeText: .clear)),
        status: .set(.archived), source: .clear, comments: .clear, owner: .set(userID))

    static let authorReplacement = Author.Replacement(
        id: authorID, name: "Ada", about: "Writes.", website: "https://ada.example", revision: 2,
        version: "2-x1y2z3")

    static let sourceID = ContentSource.ID("01890a5d-ac99-7000-8000-000000000003")!

    static let source = ContentSource(
        id: sourceID, url: "https://a.example/feed?key=x", name: "A Feed", publishes: true,
        language: "en", tags: ["Swift"], isPaused: false, intervalSeconds: 3_600, kind: .feed,
        title: "The Feed", movedTo: "https://b.example/feed", lastPolledAt: time,
        lastSucceededAt: time, nextPollAt: time, failures: 2,
        lastError: "https://b.example responded with the status 503", articleCount: 12,
        skippedCount: 1, skippedReason: "\"Rye\": the title is too long", createdAt: time,
        updatedAt: time, revision: 2, version: "2-x1y2z3")

    static let newSource = ContentSource(
        id: sourceID, url: "https://a.example/feed", nextPollAt: time, createdAt: time,
        updatedAt: time)

    static let sourceDraft = ContentSource.Draft(
        id: sourceID, url: "https://a.example/feed?key=x", name: "A Feed", publishes: true,
        language: "en", tags: ["Swift", "한국어"], isPaused: true, intervalSeconds: 60)

    static let sourceChanges = ContentSource.Changes(
        url: .set("https://a.example/"), name: .clear, publishes: .set(false), tags: .set([]),
        isPaused: .set(true), intervalSeconds: .clear)

    static let user = User(
        id: userID, displayName: "Mina K.", name: "mina", role: .author, isDisabled: false,
        createdAt: time, updatedAt: time, revision: 2)

    static let userDraft = User.Draft(
        name: "mina", password: "correct horse", displayName: "Mina K.", invitation: "bsi_x",
        role: .author)

    static let userChanges = User.Changes(
        displayName: .clear, role: .set(.editor), isDisabled: .set(true),
        password: .set("correct horse"))

    static let session = UserSession(
        accessToken: "bsa_x", expiresAt: time, refreshToken: "bsr_x", user: user)

    static let deviceSession = DeviceSession(
        id: "0123456789abcdef", device: "Mina's phone", address: "203.0.113.7", createdAt: time,
        usedAt: time, isCurrent: true)

    static let invitation = Invitation(
        id: "0123456789abcdef", code: "bsi_x", role: .author, createdAt: time, expiresAt: time)

    static let accountExport = AccountExport(
        account: user,
        invitation: AccountExport.UsedInvitation(
            id: "0123456789abcdef", role: .author, createdAt: time, expiresAt: time, usedAt: time),
        identities: [
            AccountExport.Identity(issuer: "https://id.example.org", subject: "001.ab.0042")
        ],
        sessions: [deviceSession],
        keys: [AccountExport.Key(id: "k7", name: "Phone", role: .author, createdAt: time)],
        articles: [
            AccountExport.OwnedArticle(id: id, slug: "rye", title: "Rye", status: .draft),
            AccountExport.OwnedArticle(id: id, slug: "oats", title: "Oats", status: nil),
        ],
        comments: [comment], bookmarks: [bookmark])

    static let commentID = ArticleComment.ID("01890a5d-ac98-7000-8000-00000000c0de")!

    static let comment = ArticleComment(
        id: commentID, articleID: id, parentID: ArticleComment.ID(id.description),
        author: User(id: userID, displayName: "Ada"), body: "What about *rye*?\n",
        status: .pending, createdAt: time, updatedAt: time.advanced(byMilliseconds: 1),
        revision: 2, version: "2-x1y2z3")

    /// The placeholder of a deleted comment.
    static let place = ArticleComment(
        id: commentID, articleID: id, body: "", status: .deleted, createdAt: time,
        updatedAt: time)

    static let bookmark = Bookmark(
        articleID: id, position: 0.4, createdAt: time, updatedAt: time, revision: 2)

    static let searchPage = SearchPage(
        items: [
            SearchHit(
                article: bare, title: [SearchPiece(text: "Hello, \"세상\"")],
                excerpt: [
                    SearchPiece(text: "… first "), SearchPiece(text: "구조", isMatch: true),
                    SearchPiece(text: "체 <b>\nof …"),
                ]),
            SearchHit(
                article: bare, title: [SearchPiece(text: "X", isMatch: true)], excerpt: []),
        ], next: "c_1", correctedTo: "hello 구조")

    /// One of each registered request.
    static let requests: [any BackendAPIRequest] = [
        FetchArticlesRequest(
            limit: 50, cursor: "c_-1", tags: ["C++", "한국어"], author: authorID, language: "en",
            status: .published, source: "A & B", publishedAfter: time, publishedBefore: time,
            sort: .oldestFirst, count: .exact, fields: FieldSelection(["title", "authors.name"])),
        CreateArticleRequest(article: draft, idempotencyKey: "k-1"),
        FetchArticleRequest(key: .slug("안녕-세상"), fields: FieldSelection(["id"])),
        ReplaceArticleRequest(id: id, expected: etag, article: replacement, idempotencyKey: "k-2"),
        UpdateArticleRequest(id: id, expected: .any, changes: changes, idempotencyKey: "k-3"),
        DeleteArticleRequest(id: id, expected: etag, idempotencyKey: "k-4"),
        FetchRevisionsRequest(id: id, limit: 1, cursor: "c"),
        FetchRevisionRequest(id: id, number: 7),
        RestoreRevisionRequest(id: id, number: 7, expected: etag, idempotencyKey: "k-5"),
        FetchDeletedArticlesRequest(limit: 50, cursor: "c"),
        FetchTagsRequest(limit: 100, cursor: "c"),
        FetchAuthorsRequest(limit: 1, cursor: "c"),
        FetchAuthorRequest(id: authorID),
        ReplaceAuthorRequest(
            id: authorID, expected: etag, author: authorReplacement, idempotencyKey: "k-6"),
        FetchChangesRequest(
            since: "epoch.sealed-1_2", limit: 500, types: [.article, .author, .comment],
            article: id, tags: ["C++", "한국어"], author: authorID, language: "en", status: .published,
            source: "A & B", publishedAfter: time, publishedBefore: time,
            fields: FieldSelection(["title", "authors.name"])),
        StreamChangesRequest(
            FetchChangesRequest(
                since: "epoch.sealed-1_2", types: [.article, .bookmark, .comment], article: id,
                tags: ["C++"], author: authorID, language: "en", status: .published,
                source: "A & B", publishedAfter: time, publishedBefore: time,
                fields: FieldSelection(["title", "authors.name"])),
            lastEventID: "epoch.sealed-3_4"),
        SearchArticlesRequest(
            query: "\"뷰 컨트롤러\" c++ -sw\tif & 100%", limit: 10, cursor: "c",
            tags: ["C++", "한국어"], author: authorID, language: "en", source: "A & B",
            publishedAfter: time, publishedBefore: time,
            fields: FieldSelection(["title", "authors.name"])),
        FetchCommentsRequest(
            articleID: id, limit: 5, cursor: "c", sort: .newest,
            fields: FieldSelection(["bodyHTML", "author.displayName"])),
        CreateCommentRequest(
            articleID: id, comment: .init(id: commentID, parentID: commentID, body: "*Rye*?\n"),
            idempotencyKey: "k-7"),
        FetchAllCommentsRequest(
            status: .pending, author: userID, limit: 5, cursor: "c", sort: .oldest,
            fields: FieldSelection(["body"])),
        FetchCommentRequest(id: commentID, fields: FieldSelection(["bodyHTML"])),
        UpdateCommentRequest(
            id: commentID, expected: etag, changes: .init(body: .set("B"), status: .set(.hidden)),
            idempotencyKey: "k-8"),
        DeleteCommentRequest(id: commentID, expected: .any, idempotencyKey: "k-9"),
        FetchBookmarksRequest(limit: 5, cursor: "c"),
        PutBookmarkRequest(articleID: id, place: Bookmark.Place(position: 0.4)),
        DeleteBookmarkRequest(articleID: id),
        SignUpRequest(user: userDraft),
        FetchUsersRequest(limit: 1, cursor: "c", name: "mina"),
        FetchUserRequest(id: userID),
        UpdateUserRequest(id: userID, expected: etag, changes: userChanges),
        DeleteUserRequest(id: userID, expected: etag, comments: .delete),
        CreateInvitationRequest(Invitation.Draft(role: .author, expiresAt: time)),
        SignInRequest(name: "mina", password: "correct horse", device: "Mina's phone"),
        RefreshSessionRequest(refreshToken: "bsr_x"),
        SignOutRequest(),
        FetchMeRequest(),
        UpdateMeRequest(expected: etag, changes: User.OwnChanges(displayName: .set("Mina"))),
        DeleteMeRequest(current: "correct horse", expected: etag, comments: .keep),
        ChangePasswordRequest(
            User.PasswordChange(current: "correct horse", password: "battery staple")),
        ExportAccountRequest(),
        FetchSessionsRequest(),
        EndSessionRequest(id: "0123456789abcdef"),
        FetchUserSessionsRequest(id: userID),
        EndUserSessionRequest(id: userID, session: "0123456789abcdef"),
        PreviewRequest(body: "Hello, *world*."),
        FetchAtomFeedRequest(feedQuery), FetchRSSFeedRequest(feedQuery),
        FetchJSONFeedRequest(feedQuery),
        FetchSourcesRequest(limit: 5, cursor: "c"),
        CreateSourceRequest(sourceDraft, idempotencyKey: "k-10"),
        FetchSourceRequest(id: sourceID),
        UpdateSourceRequest(id: sourceID, expected: etag, changes: sourceChanges),
        DeleteSourceRequest(id: sourceID, expected: .any),
        PollSourceRequest(id: sourceID),
        FetchDescriptionRequest(),
    ]

    private static let feedQuery = FeedQuery(
        tags: ["C++", "한국어"], author: authorID, language: "en", source: "A & B",
        publishedAfter: time, publishedBefore: time, limit: 50, cursor: "c_-1")
}
