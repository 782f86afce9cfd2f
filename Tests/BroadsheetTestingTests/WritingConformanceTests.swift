import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetTestSupport
import BroadsheetTesting
import Testing

/// A backend in memory accepts and rejects writes like a real one.
@Suite struct WritingConformanceTests {
    @Test func `articles are created once, with the same defaults and faults`() async throws {
        let lines = try await TestedBackend.compare { tested in
            var seen = Observations()
            func create(_ name: String, _ draft: Article.Draft, key: String? = nil) async {
                await seen.add(name) { () throws(BackendError) in
                    try await tested.editor.send(
                        CreateArticleRequest(article: draft, idempotencyKey: key)
                    ).facts
                }
            }
            let first = Article.Draft(id: .sample(1), title: "Über uns!", body: "Mehl & *Salz*.")
            await create("first", first, key: "once")
            await create("the same key", first, key: "once")
            await create("another draft", Article.Draft(title: "Other"), key: "once")
            await create("the same id", first)
            await create("the same title", .init(id: .sample(2), title: "Über uns?"))
            await create("a third one", .init(id: .sample(3), title: "über uns"))
            await create("a taken slug", .init(id: .sample(4), slug: "über-uns", title: "New"))
            await create("no letters", .init(id: .sample(5), title: "!?"))
            await create("no title", .init(id: .sample(6), title: ""))
            await create(
                "an unknown author",
                .init(id: .sample(7), title: "A", authors: [.id(.sample(9), name: nil)]))
            await create(
                "authors and tags",
                .init(
                    id: .sample(8), title: "B", summary: "S", language: "de-at",
                    authors: [.name("Mina"), .name("Leo"), .name("Mina")],
                    tags: ["Brot", "BROT", "Mehl"],
                    heroImage: .init(url: "https://example.org/a.jpg"), status: .published,
                    publishedAt: .sample(), source: .init(name: "Wire"), comments: .closed))
            await create("no time", .init(id: .sample(9), title: "C", status: .scheduled))
            await create(
                "a past time",
                .init(id: .sample(10), title: "D", status: .scheduled, publishedAt: .sample()))
            await create(
                "a future time",
                .init(id: .sample(11), title: "E", status: .published, publishedAt: .sampleFuture))
            await create(
                "scheduled",
                .init(id: .sample(12), title: "F", status: .scheduled, publishedAt: .sampleFuture))
            await seen.add("not signed in") { () throws(BackendError) in
                try await tested.reader.send(CreateArticleRequest(article: first)).facts
            } as: {
                $0
            }
            return seen.lines.map { $0.replacing("unauthorized", with: "") }
        }
        #expect(lines[0] == lines[1].replacing("the same key", with: "first"))
        #expect(lines[2].contains("idempotency-key-reused") && lines[3].contains("id-taken"))
    }

    @Test func `edits have the same effects, and conflicts the same problem`() async throws {
        let lines = try await TestedBackend.compare { tested in
            var seen = Observations()
            let draft = Article.Draft(id: .sample(1), title: "Bread", body: "Flour.", tags: ["A"])
            let first = try await tested.editor.send(CreateArticleRequest(article: draft))
            try await tested.editor.send(
                CreateArticleRequest(article: .init(id: .sample(2), title: "Cake")))
            func update(_ name: String, _ article: Article, _ changes: Article.Changes) async {
                await seen.add(name) { () throws(BackendError) in
                    try await tested.editor.send(UpdateArticleRequest(article, changes: changes))
                        .facts
                }
            }
            await update("a title", first, .init(title: .set("Rye bread")))
            await update("a stale version", first, .init(title: .set("Wheat bread")))
            let second = try await tested.editor.send(FetchArticleRequest(key: .id(first.id)))
            await update("nothing", second, .init(title: .set("Rye bread")))
            await update("no title", second, .init(title: .clear))
            await update("a taken slug", second, .init(slug: .set("cake")))
            await update("a bad slug", second, .init(slug: .set("A b")))
            await update("a slug", second, .init(slug: .set("rye")))
            let third = try await tested.editor.send(FetchArticleRequest(key: .slug("bread")))
            await update(
                "everything", third,
                .init(
                    summary: .set("S"), body: .set("Two *words* here."), language: .set("ko"),
                    authors: .set([.name("Mina")]), tags: .set(["a", "B"]),
                    heroImage: .set(.init(url: .set("https://example.org/a.jpg"))),
                    source: .set(.init(name: .set("Wire"))), comments: .set(.moderated)))
            let fourth = try await tested.editor.send(FetchArticleRequest(key: .id(first.id)))
            await update(
                "cleared", fourth,
                .init(
                    summary: .clear, body: .clear, language: .clear, authors: .clear,
                    tags: .clear, heroImage: .clear, source: .clear, comments: .clear))
            let fifth = try await tested.editor.send(FetchArticleRequest(key: .id(first.id)))
            await update("scheduled", fifth, .init(publishedAt: .set(.sampleFuture)))
            await seen.add("published now") { () throws(BackendError) in
                try await tested.editor.send(
                    UpdateArticleRequest(id: first.id, changes: .init(status: .set(.published))))
            } as: {
                "\($0.revision) \($0.status) \($0.publishedAt.map { $0 < .sampleFuture } ?? false)"
            }
            await update("a missing one", .sample(id: .sample(9)), .init(title: .set("A")))
            return seen.lines
        }
        #expect(lines[1].contains("precondition-failed") && lines[1].contains("revision is 2"))
    }

    @Test func `deletions are final, and leave slugs behind`() async throws {
        let lines = try await TestedBackend.compare { tested in
            var seen = Observations()
            let draft = Article.Draft(id: .sample(1), title: "Bread", status: .published)
            let first = try await tested.editor.send(CreateArticleRequest(article: draft))
            try await tested.editor.send(
                UpdateArticleRequest(first, changes: .init(title: .set("Rye"))))
            func delete(_ name: String, _ article: Article) async {
                let expected = article.version.flatMap { IfMatch(version: $0) }
                await seen.add(name) { () throws(BackendError) in
                    try await tested.editor.send(
                        DeleteArticleRequest(id: article.id, expected: expected))
                }
            }
            await delete("a stale version", first)
            let second = try await tested.editor.send(FetchArticleRequest(key: .id(first.id)))
            await delete("a deletion", second)
            await delete("another one", second)
            for service in [tested.reader, tested.editor] {
                await seen.add("fetch") { () throws(BackendError) in
                    try await service.send(FetchArticleRequest(key: .slug("bread"))).facts
                }
            }
            await seen.add("the same id") { () throws(BackendError) in
                try await tested.editor.send(CreateArticleRequest(article: draft)).facts
            }
            await seen.add("the same title") { () throws(BackendError) in
                try await tested.editor.send(
                    CreateArticleRequest(article: .init(id: .sample(2), title: "Bread"))
                ).slug
            }
            return seen.lines
        }
        #expect(lines.last == "the same title: bread-2")
    }

    @Test func `comments are written, listed and deleted alike`() async throws {
        let lines = try await TestedBackend.compare { tested in
            var seen = Observations()
            try await tested.editor.send(
                CreateArticleRequest(
                    article: .init(id: .sample(1), title: "Bread", status: .published)))
            try await tested.editor.send(
                CreateArticleRequest(
                    article: .init(
                        id: .sample(2), title: "Cake", status: .published, comments: .closed)))
            func comment(
                _ number: Int, on article: Int = 1, to parent: Int? = nil, _ body: String? = nil
            ) async {
                let draft = ArticleComment.Draft(
                    id: .sample(number), parentID: parent.map { .sample($0) },
                    body: body ?? "Comment \(number)")
                await seen.add("comment \(number)") { () throws(BackendError) in
                    try await tested.editor.send(
                        CreateCommentRequest(articleID: .sample(article), comment: draft))
                } as: {
                    "\($0.body) \($0.author?.displayName ?? "") \($0.status) \($0.revision)"
                }
            }
            await comment(1)
            await comment(2, to: 1)
            await comment(3)
            await comment(4, to: 2)
            await comment(5, on: 2)
            await comment(6, on: 9)
            await comment(7, " \u{200B} ")
            await comment(1)
            await seen.addComments("at first", tested)
            func delete(_ number: Int) async {
                await seen.add("delete \(number)") { () throws(BackendError) in
                    try await tested.editor.send(DeleteCommentRequest(id: .sample(number)))
                }
            }
            await delete(1)
            await seen.addComments("a place", tested)
            await delete(1)
            await delete(2)
            await seen.addComments("at last", tested)
            await seen.add("not signed in") { () throws(BackendError) in
                try await tested.reader.send(
                    CreateCommentRequest(articleID: .sample(1), comment: .init(body: "A")))
            }
            return seen.lines
        }
        #expect(lines.contains { $0.hasPrefix("a place") && $0.contains("deleted") })
    }

    @Test func `bookmarks are set, moved, listed and removed alike`() async throws {
        let lines = try await TestedBackend.compare { tested in
            var seen = Observations()
            for number in 1...3 {
                try await tested.editor.send(
                    CreateArticleRequest(
                        article: .init(id: .sample(number), title: "A", status: .published)))
            }
            func put(_ number: Int, _ position: Double? = nil) async {
                let place = position.map { Bookmark.Place(position: $0) }
                await seen.add("put \(number)") { () throws(BackendError) in
                    try await tested.editor.send(
                        PutBookmarkRequest(articleID: .sample(number), place: place))
                } as: {
                    "\($0.position ?? -1) \($0.revision) \($0.createdAt == $0.updatedAt)"
                }
            }
            func delete(_ number: Int) async {
                await seen.add("delete \(number)") { () throws(BackendError) in
                    try await tested.editor.send(DeleteBookmarkRequest(articleID: .sample(number)))
                }
            }
            func list() async throws {
                let pages = tested.editor.pages(of: FetchBookmarksRequest(limit: 1))
                for try await bookmark in pages.items { seen.add("\(bookmark.articleID)") }
                seen.add("end")
            }
            for number in 1...3 { await put(number) }
            await put(2, 0.5)
            await put(2, 0.5)
            await put(9)
            try await list()
            await delete(3)
            await delete(3)
            await put(3, 1)
            try await list()
            try await tested.editor.send(DeleteArticleRequest(id: .sample(2)))
            try await list()
            await seen.add("not signed in") { () throws(BackendError) in
                try await tested.reader.send(FetchBookmarksRequest())
            }
            return seen.lines
        }
        #expect(lines.contains("put 3: 1.0 3 true"))
    }

    @Test func `sessions begin, are renewed and end alike`() async throws {
        let lines = try await TestedBackend.compare { tested in
            var seen = Observations()
            let device = tested.otherDevice()
            func me(_ name: String) async {
                await seen.add(name) { () throws(BackendError) in
                    try await device.send(FetchMeRequest())
                } as: {
                    "\($0.displayName) \($0.name ?? "") \($0.revision ?? 0)"
                }
            }
            await me("nobody")
            await seen.add("sign up") { () throws(BackendError) in
                try await device.signUp(
                    name: "Leo", password: "battery staple", displayName: "Leo P.")
            } as: {
                $0.displayName
            }
            await me("signed up")
            await seen.add("a taken name") { () throws(BackendError) in
                try await tested.otherDevice().signUp(name: "leo", password: "battery staple")
            } as: {
                $0.displayName
            }
            tested.clock.advance(seconds: 20 * 60)
            await me("renewed")
            await seen.add("sign out") { () throws(BackendError) in await device.signOut() }
            await me("signed out")
            await seen.add("a wrong password") { () throws(BackendError) in
                try await device.signIn(name: "leo", password: "battery stable")
            } as: {
                $0.displayName
            }
            await seen.add("sign in") { () throws(BackendError) in
                try await device.signIn(name: "LEO", password: "battery staple")
            } as: {
                $0.displayName
            }
            await me("signed in")
            return seen.lines
        }
        #expect(lines.count == 10 && lines[4] == "renewed: Leo P. Leo 1")
    }
}

extension Observations {
    /// The comments on the first article, as everybody sees them, and their number.
    fileprivate mutating func addComments(_ name: String, _ tested: TestedBackend) async {
        for service in [tested.reader, tested.editor] {
            for sort in CommentSort.allCases {
                var request = FetchCommentsRequest(articleID: .sample(1), limit: 2, sort: sort)
                repeat {
                    await add("\(name), \(sort)") { () throws(BackendError) in
                        let page = try await service.send(request)
                        request.cursor = page.next
                        return page.items
                    } as: { comments in
                        let texts = comments.map { comment in
                            let author = comment.author?.displayName ?? "nobody"
                            return "\(comment.id) \(comment.body) \(comment.status) \(author)"
                        }
                        return "\(texts)"
                    }
                } while request.cursor != nil
            }
        }
        await add("count") { () throws(BackendError) in
            let article = FetchArticleRequest(key: .id(.sample(1)))
            let part = try await tested.reader.send(
                PartialRequest(article, fields: ["commentCount"]))
            return part.commentCount ?? -1
        }
    }
}
